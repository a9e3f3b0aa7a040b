import { definePlugin, defineRoute, services, valueErrors } from '@plinth/core';
import { z } from 'zod';
import { invalidValue, place, Reply } from './tools/index.js';

/** Answers with what the kernel has to understand, whichever copy of it and of zod has made that. */
export const probe = definePlugin({
	id: 'probe',
	config: z.strictObject({ greeting: z.string().default('hello') }),
	needs: { blobs: services.blobs },
	setup({ config: { greeting }, services: { blobs }, route }) {
		const look = defineRoute({
			method: 'POST',
			path: '/v1/probe',
			scope: 'probe',
			summary: 'Tell which copies this plugin has',
			body: z.object({
				size: z.coerce.number().int().max(3).default(1),
				refuse: z.boolean().optional(),
			}),
			response: {
				status: 201,
				description: 'Their places.',
				schema: z.looseObject({ size: z.number() }),
			},
			errors: valueErrors,
			async handler({ body: { size, refuse } }) {
				if (refuse) throw invalidValue('refuse', 'refuse: as was asked for.');
				const isStored = (await blobs.head('none')) !== null;
				const places = { tools: place, zod: import.meta.resolve('zod') };
				return Reply.json({ greeting, size, isStored, ...places }, { status: 201 });
			},
		});
		route(look);
	},
});
