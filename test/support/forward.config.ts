import { defineConfig, definePlugin, defineRoute, type ForwardDispatcher, plinthError } from '@plinth/core';
import { apiKeys } from '@plinth/keys';
import { memoryBlobs, memoryEvents, memoryJobs } from '@plinth/memory';
import { Agent } from 'undici';
import { z } from 'zod';

const { TEST_UPSTREAM = '' } = process.env;

const agent = new Agent({ keepAliveTimeout: 500, keepAliveMaxTimeout: 500 });
const dispatcher: ForwardDispatcher = {
	dispatch: ({ headers, ...options }, handler) =>
		agent.dispatch({ ...options, headers: [...headers] }, handler as never),
};

/** Sends every body to the upstream of a test, and its answer back. */
const passing = definePlugin({
	id: 'passing',
	config: z.strictObject({}),
	setup({ route }) {
		const failed = () => plinthError('E_VALUE_INVALID', { message: 'The upstream failed.' });
		route(
			defineRoute({
				method: 'POST',
				path: '/v1/passing',
				scope: 'authenticated',
				summary: 'Passes a body on.',
				response: { description: 'What the upstream says.' },
				errors: [],
				body: z.looseObject({ model: z.string() }),
				forward: (raw, call) =>
					call.forward({
						dispatcher,
						origin: TEST_UPSTREAM,
						path: '/',
						headers: ['content-type', 'application/json'],
						body: raw.withModel('theirs'),
						quietMs: 60_000,
						accepts: () => true,
						refused: failed,
						lost: failed,
						silent: failed,
						unfit: failed,
					}),
				handler: () => null,
			}),
		);
	},
});

/** A server with nothing but a route that passes requests on: `forward.test.ts` starts it. */
export default defineConfig({
	log: { level: 'warn' },
	plugins: { passing: passing() },
	backends: {
		jobs: memoryJobs(),
		blobs: memoryBlobs(),
		events: memoryEvents(),
		auth: apiKeys({ keys: process.env.PLINTH_API_KEYS ?? '' }),
	},
});
