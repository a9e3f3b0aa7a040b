import { silentLogger } from '@plinth/testing';
import { expect, onTestFinished, test } from 'vitest';
import { z } from 'zod';
import { createApp, definePlugin, defineRoute, defineService, plinthError } from '../../src/index.ts';

const log = silentLogger();

test('middleware of plugins runs in the order of their needs, then of the config', async () => {
	const entered: string[] = [];
	const service = defineService<{ readonly id: string }>('test.first');
	const plugin = (id: string, more: object = {}) =>
		definePlugin({
			id,
			config: z.strictObject({}),
			...more,
			setup: ({ use }) => {
				use((_call, next) => {
					entered.push(id);
					return next();
				});
				return { id };
			},
		})();
	const app = await createApp(
		{
			server: { auth: 'off' },
			plugins: {
				needy: plugin('needy', { needs: { service } }),
				plain: plugin('plain'),
				giver: plugin('giver', { provides: service }),
				last: plugin('last'),
			},
		},
		{ log, env: {} },
	);
	onTestFinished(() => app.stop());
	expect((await app.fetch(new Request('http://x/v1/models'))).status).toBe(200);
	expect(entered).toEqual(['giver', 'needy', 'plain', 'last']);
});

// The example of core/kernel/README.md.
test('a plugin that limits and counts requests needs no Koa', async () => {
	const statuses: number[] = [];
	const quota = definePlugin({
		id: 'quota',
		config: z.strictObject({ requests: z.int().min(1) }),
		setup({ config, use, route }) {
			const used = new Map<string, number>();
			use(async (call, next) => {
				const { tenant } = call.principal;
				const count = (used.get(tenant) ?? 0) + 1;
				if (count > config.requests) {
					throw plinthError('E_TENANT_BUSY', { message: 'The quota is used up.' });
				}
				used.set(tenant, count);
				const answer = await next();
				statuses.push(answer.status);
				const left = String(config.requests - count);
				return { ...answer, headers: { ...answer.headers, 'x-requests-left': left } };
			});
			route(
				defineRoute({
					method: 'POST',
					path: '/v1/things',
					scope: 'things',
					summary: 'Make a thing',
					response: { status: 201, description: 'It.', schema: z.object({ id: z.string() }) },
					errors: [],
					handler: () => ({ id: 'x' }),
				}),
			);
		},
	});
	const app = await createApp(
		{ server: { auth: 'off' }, plugins: { quota: quota({ requests: 1 }) } },
		{ log, env: {} },
	);
	onTestFinished(() => app.stop());
	const ask = () => app.fetch(new Request('http://x/v1/things', { method: 'POST' }));
	const first = await ask();
	expect([first.status, first.headers.get('x-requests-left')]).toEqual([201, '0']);
	const second = await ask();
	expect(second.status).toBe(429);
	expect(statuses).toEqual([201]);
});
