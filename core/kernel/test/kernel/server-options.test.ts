import { request } from 'node:http';
import { silentLogger } from '@plinth/testing';
import { expect, onTestFinished, test } from 'vitest';
import { z } from 'zod';
import { type AppConfig, createApp, definePlugin, defineRoute } from '../../src/index.ts';

const echo = defineRoute({
	method: 'POST',
	path: '/v1/echo',
	scope: 'authenticated',
	summary: 'Echo',
	body: z.object({ text: z.string() }),
	response: {
		description: 'The text.',
		schema: z.object({ text: z.string(), warnings: z.array(z.string()).optional() }),
	},
	errors: [],
	handler: ({ body }) => ({ text: body.text }),
});
const plugin = definePlugin({ id: 'echo', config: z.strictObject({}), setup: (ctx) => ctx.route(echo) });

/** The status, encoding and code of the response to a long text and an unknown member. */
async function answerOf(server: AppConfig['server']): Promise<readonly unknown[]> {
	const config = { server: { auth: 'off', ...server }, plugins: { echo: plugin() } };
	const app = await createApp(config, { log: silentLogger(), env: {} });
	onTestFinished(() => app.stop());
	const { url } = await app.listen({ port: 0 });
	const headers = { 'content-type': 'application/json', 'accept-encoding': 'gzip' };
	return new Promise((resolve, reject) => {
		const sent = request(`${url}/v1/echo`, { method: 'POST', headers }, (answer) => {
			answer.resume().on('end', () => resolve([answer.statusCode, answer.headers['content-encoding']]));
		});
		sent.on('error', reject).end(JSON.stringify({ text: 'x'.repeat(2_000), txt: 1 }));
	});
}

test('unknown members are ignored and long responses are compressed, unless the config says otherwise', async () => {
	expect(await answerOf({})).toEqual([200, 'gzip']);
	expect(await answerOf({ compression: 'off' })).toEqual([200, undefined]);
	expect(await answerOf({ unknownMembers: 'refuse' })).toEqual([400, undefined]);
});
