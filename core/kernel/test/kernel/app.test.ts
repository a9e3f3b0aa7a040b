import { createServer } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { apiKeys } from '@plinth/keys';
import { memoryRecords } from '@plinth/memory';
import { silentLogger } from '@plinth/testing';
import { describe, expect, onTestFinished, test } from 'vitest';
import { z } from 'zod';
import {
	type AppConfig,
	createApp,
	defineBackend,
	defineModel,
	defineModelKind,
	definePlugin,
	defineService,
	services,
} from '../../src/index.ts';

const none = z.strictObject({});
const kind = defineModelKind<{ say(): string }>('toy');
const toyModel = defineModel({
	kind,
	name: 'test.toy',
	config: none,
	create: () => ({ say: () => 'hi' }),
});
const auth = apiKeys({ keys: 'key-of-the-tests' });
const log = silentLogger();

describe('an app', () => {
	test('gives a plugin exactly the services that it needs, typed', async () => {
		const greeting = defineService<{ readonly text: string }>('test.greeting');
		const giver = definePlugin({
			id: 'giver',
			config: none,
			provides: greeting,
			setup: () => ({ text: 'hello' }),
		});
		let received = '';
		const taker = definePlugin({
			id: 'taker',
			config: none,
			needs: { greeting },
			setup: (ctx) => {
				received = ctx.services.greeting.text;
				// @ts-expect-error the plugin does not need it
				expect(() => ctx.services.blobs).toThrow("Could not resolve 'blobs'");
			},
		});
		const app = await createApp({ backends: { auth }, plugins: { taker: taker(), giver: giver() } }, { log, env: {} });
		expect(received).toBe('hello');
		expect(app.tree().parts.find(({ owner }) => owner === 'plugin taker')?.needs).toEqual([
			{ service: 'test.greeting', provider: 'plugin giver' },
		]);
		await app.stop();
	});

	test('ignores a model of a preset when its plugin was removed', async () => {
		const toys = definePlugin({ id: 'toys', config: none, models: [kind], setup: () => {} });
		const preset: AppConfig = {
			backends: { auth },
			models: { toy: toyModel() },
			plugins: { toys: toys() },
		};
		const app = await createApp({ extends: preset, plugins: { toys: false } }, { log, env: {} });
		expect(app.tree()).toMatchObject({ models: [], unusedModels: [{ id: 'toy', kind: 'toy' }] });
		await app.stop();
	});

	test('stops once when stop is called repeatedly', async () => {
		let stops = 0;
		const counting = definePlugin({
			id: 'counting',
			config: none,
			setup: (ctx) =>
				ctx.onStop(() => {
					stops += 1;
				}),
		});
		const app = await createApp({ backends: { auth }, plugins: { counting: counting() } }, { log, env: {} });
		await app.start();
		await Promise.all([app.stop(), app.stop()]);
		await app.stop();
		expect([stops, app.state]).toEqual([1, 'stopped']);
	});

	test('cannot start again after it was stopped', async () => {
		const app = await createApp({ backends: { auth } }, { log, env: {} });
		await app.stop();
		await expect(app.start()).rejects.toMatchObject({ code: 'E_STOPPING' });
		await expect(app.listen({ port: 0 })).rejects.toMatchObject({ code: 'E_STOPPING' });
		expect(app.state).toBe('stopped');
	});

	test('opens no listener when it is stopped while it starts', async () => {
		const started = Promise.withResolvers<void>();
		const slow = definePlugin({
			id: 'slow',
			config: none,
			setup: (ctx) => ctx.onStart(() => started.promise),
		});
		const app = await createApp({ backends: { auth }, plugins: { slow: slow() } }, { log, env: {} });
		const listening = app.listen({ port: 0 });
		const stopping = app.stop();
		started.resolve();
		await expect(listening).rejects.toMatchObject({ code: 'E_STOPPING' });
		await stopping;
	});

	test('opens one listener for concurrent calls of listen', async () => {
		const config = { server: { drainDelayMs: 0 }, backends: { auth } };
		const app = await createApp(config, { log, env: {} });
		const tries = await Promise.allSettled([app.listen({ port: 0 }), app.listen({ port: 0 })]);
		expect(tries.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
		await app.stop();
	});

	test('reports that it is ready when its listener accepts connections', async () => {
		const free = createServer();
		await new Promise<void>((resolve) => free.listen(0, '127.0.0.1', resolve));
		const { port } = free.address() as AddressInfo;
		await new Promise((resolve) => free.close(resolve));
		const reached = Promise.withResolvers<void>();
		const info = (_: object, message: string) => {
			if (message !== 'ready') return;
			const socket = connect(port, '127.0.0.1', () => {
				socket.destroy();
				reached.resolve();
			});
			socket.once('error', reached.reject);
		};
		const app = await createApp({ backends: { auth } }, { log: { ...log, info }, env: {} });
		await app.listen({ host: '127.0.0.1', port });
		await reached.promise;
		await app.stop();
	});

	test('responds to probes while it starts', async () => {
		const started = Promise.withResolvers<void>();
		const slow = definePlugin({
			id: 'slow',
			config: none,
			setup: (ctx) => ctx.onStart(() => started.promise),
		});
		const app = await createApp({ backends: { auth }, plugins: { slow: slow() } }, { log, env: {} });
		const probe = async (path: string) => (await app.fetch(new Request(`http://plinth.test${path}`))).status;
		const starting = app.start();
		expect([await probe('/healthz'), await probe('/readyz')]).toEqual([200, 503]);
		started.resolve();
		await starting;
		expect(await probe('/readyz')).toBe(200);
		await app.stop();
	});

	test('does not handle pages of its host while it starts and after a failed start', async () => {
		const broken = definePlugin({
			id: 'broken',
			config: none,
			setup: (ctx) =>
				ctx.onStart(() => {
					throw new Error('no database');
				}),
		});
		const app = await createApp({ backends: { auth }, plugins: { broken: broken() } }, { log, env: {} });
		const handle = app.callback();
		const host = createServer((req, res) => handle(req, res, () => res.end('the host')));
		await new Promise<void>((resolve) => host.listen(0, '127.0.0.1', resolve));
		const { port } = host.address() as AddressInfo;
		const get = (path: string) =>
			fetch(`http://127.0.0.1:${port}${path}`, { headers: { 'x-api-key': 'key-of-the-tests' } });
		expect(await (await get('/page')).text()).toBe('the host');
		const ours = await get('/v1/models');
		expect([ours.status, await ours.json()]).toMatchObject([503, { error: { code: 'server_not_ready' } }]);
		expect(await (await get('/page')).text()).toBe('the host');
		host.close();
		host.closeAllConnections();
	});

	test('refuses requests after it has stopped, and reports that to probes', async () => {
		const app = await createApp({ backends: { auth } }, { log, env: {} });
		const get = async (path: string) => {
			const headers = { 'x-api-key': 'key-of-the-tests' };
			const response = await app.fetch(new Request(`http://plinth.test${path}`, { headers }));
			return [response.status, await response.json()];
		};
		expect(await get('/v1/models')).toEqual([200, { object: 'list', data: [] }]);
		await app.stop();
		expect(await get('/v1/models')).toMatchObject([503, { error: { code: 'server_stopping' } }]);
		expect(await get('/readyz')).toMatchObject([503, { reason: 'stopped' }]);
	});

	test('accepts requests without a key when authentication is off', async () => {
		const app = await createApp({ server: { auth: 'off' } }, { log, env: {} });
		expect((await app.fetch(new Request('http://plinth.test/v1/models'))).status).toBe(200);
		await app.stop();
	});

	test('returns a service to the embedding program, and throws when it has none', async () => {
		const app = await createApp({ backends: { auth, records: memoryRecords() } }, { log, env: {} });
		expect(app.service(services.records)).toBeDefined();
		expect(() => app.service(services.blobs)).toThrow(/nothing provides core\.blobs/);
		await app.stop();
	});
});

test.each([
	['on', 1],
	['off', 0],
])('with auth %s, the boot hook of the authenticator is called %i times', async (auth, times) => {
	let count = 0;
	const counting = defineBackend({
		name: 'counting',
		provides: services.authenticator,
		config: none,
		create: () => ({ authenticate: async () => null, booted: () => void count++ }),
	});
	const app = await createApp({ server: { auth }, backends: { counting: counting() } }, { log, env: {} });
	onTestFinished(() => app.stop());
	expect(count).toBe(times);
});
