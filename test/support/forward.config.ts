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

/** Forwards every body to the upstream of the test, and returns its response. */
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
				summary: 'Forwards a body.',
				response: { description: 'The response of the upstream.' },
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

/** A server with a single route that forwards requests, for `forward.test.ts`. */
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
