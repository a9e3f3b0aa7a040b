import {
	definePlugin,
	defineRoute,
	invalidValue,
	Reply,
	services,
	valueErrors,
} from '@plinth/core';
import { z } from 'zod';

/** Answers with what the kernel has to recognise although another copy of it made them. */
export const probe = definePlugin({
	id: 'probe',
	config: z.strictObject({}),
	needs: { blobs: services.blobs },
	setup({ services: { blobs }, route }) {
		const look = defineRoute({
			method: 'GET',
			path: '/v1/probe',
			scope: 'probe',
			summary: 'Tell which kernel this plugin has',
			query: z.object({ refuse: z.literal('yes').optional() }),
			response: { status: 201, description: 'The place of the kernel.' },
			errors: valueErrors,
			async handler({ query }) {
				if (query.refuse) throw invalidValue('refuse', 'refuse: as was asked for.');
				const kernel = import.meta.resolve('@plinth/core');
				return Reply.json(
					{ kernel, isStored: (await blobs.head('none')) !== null },
					{ status: 201 },
				);
			},
		});
		route(look);
	},
});
