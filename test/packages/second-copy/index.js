import { definePlugin, defineRoute, services, valueErrors } from '@plinth/core';
import { z } from 'zod';
import { invalidValue, place, Reply } from './tools/index.js';

/** Returns values that the kernel must recognise, whichever copy of the kernel and of zod has made them. */
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
