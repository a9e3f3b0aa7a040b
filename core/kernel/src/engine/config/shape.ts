import { z } from 'zod';
import { id } from '../../contract/model-settings.ts';

const settings = z.record(z.string(), z.union([z.string(), z.number(), z.boolean()]));
// Entries are checked further when their factory is resolved, with a more exact message.
const entry = z.unknown().superRefine((value, ctx) => {
	if (value === false || (typeof value === 'object' && value !== null)) return;
	const message =
		typeof value === 'function'
			? 'is the factory itself: call it, with () behind its name'
			: 'must be false, a factory call, or { use, with }';
	ctx.addIssue({ code: 'custom', message });
});

/** The outer shape of a config; options inside are checked by the factories' own schemas. */
export const configShape = z.strictObject({
	extends: z.union([z.string(), z.looseObject({})]).optional(),
	server: z.record(z.string(), z.unknown()).optional(),
	log: settings.optional(),
	role: z.string().optional(),
	jobs: settings.optional(),
	backends: z.record(id, entry).optional(),
	models: z.record(id, entry).optional(),
	groups: z.record(id, entry).optional(),
	plugins: z.record(id, entry).optional(),
});
