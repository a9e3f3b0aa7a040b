import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { memoryBlobs, memoryEvents, memoryJobs, memoryQueue, memoryRecords } from '@plinth/memory';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import {
	type AppConfig,
	apiKeys,
	BootError,
	createApp,
	defineBackend,
	defineModel,
	defineModelKind,
	definePlugin,
	defineRoute,
	defineService,
	type Route,
	services,
} from '../../src/index.ts';
import { silentLogger } from '../../src/testing/index.ts';

const none = z.strictObject({});
const kind = defineModelKind<{ say(): string }>('toy');
const toyModel = defineModel({
	kind,
	name: 'test.toy',
	config: none,
	create: () => ({ say: () => 'hi' }),
});
const missing = defineService<string>('test.missing');

const auth = apiKeys({ keys: 'k' });
const log = silentLogger();

function route(path: `/${string}`, scope = 'toys'): Route {
	return defineRoute({
		method: 'GET',
		path,
		scope,
		summary: 'A toy',
		response: { description: 'A toy' },
		errors: [],
		handler: () => ({}),
	});
}

function plugin(id: string, ...routes: Route[]) {
	return definePlugin({ id, config: none, setup: (ctx) => ctx.route(...routes) })();
}

async function problemsOf(
	config: AppConfig,
): Promise<
	readonly { code: string; owner: string; path: string; message: string; remedy: string }[]
> {
	try {
		await (await createApp(config, { log, env: {} })).stop();
	} catch (error) {
		if (error instanceof BootError) return error.problems;
		throw error;
	}
	return [];
}

describe('a boot that cannot succeed', () => {
	test('lists five mistakes in one report, each with culprit, place and remedy', async () => {
		const needy = definePlugin({ id: 'needy', config: none, needs: { missing }, setup: () => {} });
		const strict = definePlugin({
			id: 'strict',
			config: z.strictObject({ hours: z.number() }),
			setup: () => {},
		});
		const config: AppConfig = {
			backends: { auth },
			models: { lonely: toyModel() },
			plugins: {
				needy: needy(),
				strict: strict({ hours: 'many' as unknown as number }),
				named: { use: '@plinth/nothing' },
				toys: { use: '@plinth/core#apiKeys', with: { keys: '${UNSET}' } },
			},
		};
		const problems = await problemsOf(config);
		expect(problems.map(({ code, owner, path }) => [code, owner, path])).toEqual(
			expect.arrayContaining([
				['E_CONFIG_NAME', 'plugin named', 'plugins.named'],
				['E_CONFIG_NAME', 'plugin toys', 'plugins.toys'],
				['E_OPTIONS_INVALID', 'plugin strict', 'plugins.strict.with.hours'],
				['E_SERVICE_MISSING', 'plugin needy', 'plugins.needy'],
				['E_MODEL_UNUSED', 'model lonely', 'models.lonely'],
			]),
		);
		const report = new BootError(problems as never).message;
		for (const { message, path, remedy } of problems) {
			expect(report).toContain(message);
			expect(report).toContain(path);
			expect(report).toContain(remedy);
		}
	});

	test('names both plugins that claim one route, however its parameter is called', async () => {
		const withId = (name: string) =>
			defineRoute({
				...route(`/v1/toys/{${name}}`),
				params: z.object({ [name]: z.string() }),
			});
		expect(
			await problemsOf({
				backends: { auth },
				plugins: { one: plugin('one', withId('id')), two: plugin('two', withId('toy')) },
			}),
		).toMatchObject([
			{
				code: 'E_ROUTE_DUPLICATE',
				owner: 'plugin two',
				message: expect.stringContaining('plugin one'),
			},
		]);
	});

	test("refuses a plugin that claims one of the kernel's own routes", async () => {
		expect(
			await problemsOf({
				backends: { auth },
				plugins: { one: plugin('one', route('/healthz', 'public')) },
			}),
		).toMatchObject([
			{ code: 'E_ROUTE_DUPLICATE', message: expect.stringContaining('the kernel') },
		]);
	});

	test('refuses a route without a scope', async () => {
		expect(
			await problemsOf({
				backends: { auth },
				plugins: { one: plugin('one', route('/v1/open', '')) },
			}),
		).toMatchObject([{ code: 'E_ROUTE_SCOPE', owner: 'plugin one' }]);
	});

	test('refuses a route whose parameters have no schema', async () => {
		expect(
			await problemsOf({
				backends: { auth },
				plugins: { one: plugin('one', route('/v1/toys/{id}')) },
			}),
		).toMatchObject([{ code: 'E_ROUTE_PATH' }]);
	});

	test('refuses a composition that would let anybody in', async () => {
		expect(await problemsOf({ plugins: { one: plugin('one', route('/v1/toys')) } })).toMatchObject([
			{ code: 'E_SERVICE_MISSING', owner: 'kernel', remedy: expect.stringContaining('apiKeys') },
		]);
	});

	test('refuses to listen beyond loopback without authentication', async () => {
		expect(await problemsOf({ server: { auth: 'off', host: '127.evil.test' } })).toMatchObject([
			{ code: 'E_AUTH_OFF', path: 'server.host' },
		]);
		const app = await createApp({ server: { auth: 'off' } }, { log, env: {} });
		await expect(app.listen({ host: '0.0.0.0', port: 0 })).rejects.toMatchObject({
			problems: [{ code: 'E_AUTH_OFF' }],
		});
		await app.stop();
	});

	test('says what jobs need', async () => {
		const jobs = definePlugin({
			id: 'jobs',
			config: none,
			jobs: ['toy'],
			setup: (ctx) => ctx.job('toy', { run: async () => ({ result: {} }) }),
		});
		const problems = await problemsOf({ backends: { auth }, plugins: { jobs: jobs() } });
		expect(problems.map(({ message }) => message).join()).toMatch(
			/core\.jobs.*core\.queue.*core\.blobs.*core\.events/,
		);
	});

	test('refuses two plugins that run one kind of job', async () => {
		const jobs = (id: string) =>
			definePlugin({
				id,
				config: none,
				jobs: ['toy'],
				setup: (ctx) => ctx.job('toy', { run: async () => ({ result: {} }) }),
			})();
		const backends = {
			auth,
			jobs: memoryJobs(),
			queue: memoryQueue(),
			blobs: memoryBlobs(),
			events: memoryEvents(),
			records: memoryRecords(),
		};
		expect(
			await problemsOf({ backends, plugins: { one: jobs('one'), two: jobs('two') } }),
		).toMatchObject([{ code: 'E_JOB_KIND', owner: 'plugin two' }]);
	});

	test('refuses a plugin that asks for models of a kind it did not declare', async () => {
		const greedy = definePlugin({ id: 'greedy', config: none, setup: (ctx) => ctx.models(kind) });
		expect(await problemsOf({ backends: { auth }, plugins: { greedy: greedy() } })).toMatchObject([
			{ code: 'E_MODEL_KIND', owner: 'plugin greedy' },
		]);
	});

	test('refuses a plugin that runs jobs of a kind it did not declare', async () => {
		const greedy = definePlugin({
			id: 'greedy',
			config: none,
			setup: (ctx) => ctx.job('toy', { run: async () => ({ result: {} }) }),
		});
		expect(await problemsOf({ backends: { auth }, plugins: { greedy: greedy() } })).toMatchObject([
			{ code: 'E_JOB_KIND', owner: 'plugin greedy' },
		]);
	});

	test('names a backend that returns nothing for what it provides', async () => {
		const empty = defineBackend({
			name: 'empty',
			provides: missing,
			config: none,
			create: () => undefined as never,
		});
		expect(await problemsOf({ backends: { auth, empty: empty() } })).toMatchObject([
			{
				code: 'E_STEP_FAILED',
				owner: 'backend empty',
				message: expect.stringContaining('test.missing'),
			},
		]);
	});

	test.each([
		['without a config', { id: 'odd', setup: () => {} }, 'no config'],
		['without a setup', { id: 'odd', config: none }, 'no setup'],
		[
			'with a need that is no service',
			{ id: 'odd', config: none, needs: { x: undefined }, setup: () => {} },
			'needs.x',
		],
	])('names a plugin %s', async (_name, definition, words) => {
		const odd = definePlugin(definition as never);
		expect(await problemsOf({ backends: { auth }, plugins: { odd: odd() } })).toMatchObject([
			{ code: 'E_DEFINITION', owner: 'plugin odd', message: expect.stringContaining(words) },
		]);
	});

	test('names a route without a handler', async () => {
		const { handler: _, ...rest } = route('/v1/toys');
		expect(
			await problemsOf({ backends: { auth }, plugins: { one: plugin('one', rest as Route) } }),
		).toMatchObject([{ code: 'E_ROUTE_PATH', message: expect.stringContaining('handler') }]);
	});

	test.each([
		['an unknown key beside use', { use: 'x', wiht: {} }, 'E_CONFIG_SHAPE', 'wiht'],
		['options without a use', { with: { hours: 1 } }, 'E_CONFIG_SHAPE', 'repeat its use'],
		['a package that is not there', { use: '@plinth/nothing' }, 'E_CONFIG_NAME', 'not installed'],
		['an export that is not there', { use: '@plinth/core#nothing' }, 'E_CONFIG_NAME', 'nothing'],
		['a file that is not there', { use: './nothing.js#x' }, 'E_CONFIG_NAME', 'no file'],
	])('says of an entry with %s what is wrong, once', async (_name, entry, code, words) => {
		const problems = await problemsOf({ backends: { auth }, plugins: { odd: entry as never } });
		expect(problems).toMatchObject([
			{ code, owner: 'plugin odd', message: expect.stringContaining(words) },
		]);
	});

	test.each([
		['a method in lower case', { method: 'get' }, 'a method is one of'],
		['a path in another router’s spelling', { path: '/v1/toys/:id' }, 'registers GET /v1/toys/:id'],
	])('names a route with %s', async (_name, change, words) => {
		const odd = { ...route('/v1/toys'), ...change } as Route;
		expect(
			await problemsOf({ backends: { auth }, plugins: { one: plugin('one', odd) } }),
		).toMatchObject([{ code: 'E_ROUTE_PATH', message: expect.stringContaining(words) }]);
	});

	test('names a kind of job that is declared and never done', async () => {
		const idle = definePlugin({ id: 'idle', config: none, jobs: ['toy'], setup: () => {} });
		const backends = {
			auth,
			jobs: memoryJobs(),
			queue: memoryQueue(),
			blobs: memoryBlobs(),
			events: memoryEvents(),
		};
		expect(await problemsOf({ backends, plugins: { idle: idle() } })).toMatchObject([
			{ code: 'E_JOB_KIND', owner: 'plugin idle' },
		]);
	});

	test('names a model whose create returns nothing', async () => {
		const toys = definePlugin({ id: 'toys', config: none, models: [kind], setup: () => {} });
		const empty = defineModel({
			kind,
			name: 'test.empty',
			config: none,
			create: () => undefined as never,
		});
		expect(
			await problemsOf({ backends: { auth }, models: { toy: empty() }, plugins: { toys: toys() } }),
		).toMatchObject([{ code: 'E_STEP_FAILED', owner: 'model toy' }]);
	});

	test('says of a factory that was not called that it must be', async () => {
		expect(await problemsOf({ backends: { auth, odd: apiKeys as never } })).toMatchObject([
			{ code: 'E_CONFIG_SHAPE', path: 'backends.odd', message: expect.stringContaining('call it') },
		]);
	});

	test('says of a removal that it removes nothing', async () => {
		expect(
			await problemsOf({ extends: { backends: { auth } }, plugins: { spech: false } }),
		).toMatchObject([{ code: 'E_CONFIG_SHAPE', owner: 'plugin spech', path: 'plugins.spech' }]);
	});

	test('refuses options beside a factory call', async () => {
		const toys = definePlugin({ id: 'toys', config: none, models: [kind], setup: () => {} });
		const models = { toy: { use: toyModel(), with: { a: 1 } } as never };
		expect(
			await problemsOf({ backends: { auth }, models, plugins: { toys: toys() } }),
		).toMatchObject([
			{ code: 'E_CONFIG_SHAPE', owner: 'model toy', message: expect.stringContaining('with') },
		]);
	});

	test('refuses waits that a timer cannot hold, and heartbeats slower than half a lease', async () => {
		expect(
			await problemsOf({ backends: { auth }, jobs: { maxRunMs: 2_592_000_000 } }),
		).toMatchObject([{ path: 'jobs.maxRunMs' }]);
		expect(await problemsOf({ backends: { auth }, jobs: { heartbeatMs: 15_000 } })).toMatchObject([
			{ path: 'jobs.heartbeatMs' },
		]);
	});

	test('refuses a name that two models claim', async () => {
		const toys = definePlugin({ id: 'toys', config: none, models: [kind], setup: () => {} });
		const models = {
			one: { use: toyModel(), aliases: ['x'] },
			two: { use: toyModel(), aliases: ['x'] },
		};
		expect(
			await problemsOf({ backends: { auth }, models, plugins: { toys: toys() } }),
		).toMatchObject([
			{
				code: 'E_MODEL_DUPLICATE',
				owner: 'model two',
				message: expect.stringContaining('model one'),
			},
		]);
	});

	test('closes what had been created, in reverse, when a later part fails', async () => {
		const closed: string[] = [];
		const part = (name: string, fails = false) =>
			defineBackend({
				name,
				provides: defineService<string>(`test.${name}`),
				config: none,
				create: ({ onStop }) => {
					if (fails) throw new Error('the port is taken');
					onStop(() => {
						closed.push(name);
					});
					return name;
				},
			})();
		const backends = { auth, one: part('one'), two: part('two'), three: part('three', true) };
		expect(await problemsOf({ backends })).toMatchObject([
			{
				code: 'E_STEP_FAILED',
				owner: 'backend three',
				message: 'failed to create: the port is taken',
			},
		]);
		expect(closed).toEqual(['two', 'one']);
	});

	test('says which options there are when one is not known', async () => {
		const strict = definePlugin({
			id: 'strict',
			config: z.strictObject({ hours: z.number().optional() }),
			setup: () => {},
		});
		const problems = await problemsOf({
			backends: { auth },
			plugins: { strict: strict({ hour: 1 } as never) },
		});
		expect(problems).toMatchObject([
			{ code: 'E_OPTIONS_INVALID', message: expect.stringContaining('Known options: hours') },
		]);
	});
});

describe('a boot that succeeds', () => {
	test('gives a plugin exactly what it needs, typed', async () => {
		const greeting = defineService<{ readonly text: string }>('test.greeting');
		const giver = definePlugin({
			id: 'giver',
			config: none,
			provides: greeting,
			setup: () => ({ text: 'hello' }),
		});
		let heard = '';
		const taker = definePlugin({
			id: 'taker',
			config: none,
			needs: { greeting },
			setup: (ctx) => {
				heard = ctx.services.greeting.text;
				// @ts-expect-error it was not asked for
				ctx.services.blobs;
			},
		});
		const app = await createApp(
			{ backends: { auth }, plugins: { taker: taker(), giver: giver() } },
			{ log, env: {} },
		);
		expect(heard).toBe('hello');
		expect(app.tree().parts.find(({ owner }) => owner === 'plugin taker')?.needs).toEqual([
			{ service: 'test.greeting', provider: 'plugin giver' },
		]);
		await app.stop();
	});

	test('leaves a model of a preset aside when its plugin was removed', async () => {
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

	test('stops once, however often it is asked to', async () => {
		let stops = 0;
		const counting = definePlugin({
			id: 'counting',
			config: none,
			setup: (ctx) =>
				ctx.onStop(() => {
					stops += 1;
				}),
		});
		const app = await createApp(
			{ backends: { auth }, plugins: { counting: counting() } },
			{ log, env: {} },
		);
		await app.start();
		await Promise.all([app.stop(), app.stop()]);
		await app.stop();
		expect([stops, app.state]).toEqual([1, 'stopped']);
	});

	test('never starts again once it was stopped', async () => {
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
		const app = await createApp(
			{ backends: { auth }, plugins: { slow: slow() } },
			{ log, env: {} },
		);
		const listening = app.listen({ port: 0 });
		const stopping = app.stop();
		started.resolve();
		await expect(listening).rejects.toMatchObject({ code: 'E_STOPPING' });
		await stopping;
	});

	test('opens one listener, however often it is asked at once', async () => {
		const app = await createApp({ backends: { auth } }, { log, env: {} });
		const tries = await Promise.allSettled([app.listen({ port: 0 }), app.listen({ port: 0 })]);
		expect(tries.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
		await app.stop();
	});

	test('answers probes while it starts', async () => {
		const started = Promise.withResolvers<void>();
		const slow = definePlugin({
			id: 'slow',
			config: none,
			setup: (ctx) => ctx.onStart(() => started.promise),
		});
		const app = await createApp(
			{ backends: { auth }, plugins: { slow: slow() } },
			{ log, env: {} },
		);
		const probe = async (path: string) =>
			(await app.fetch(new Request(`http://plinth.test${path}`))).status;
		const starting = app.start();
		expect([await probe('/healthz'), await probe('/readyz')]).toEqual([200, 503]);
		started.resolve();
		await starting;
		expect(await probe('/readyz')).toBe(200);
		await app.stop();
	});

	test('leaves the pages of its host alone while it starts and when it could not', async () => {
		const broken = definePlugin({
			id: 'broken',
			config: none,
			setup: (ctx) =>
				ctx.onStart(() => {
					throw new Error('no database');
				}),
		});
		const app = await createApp(
			{ backends: { auth }, plugins: { broken: broken() } },
			{ log, env: {} },
		);
		const handle = app.callback();
		const host = createServer((req, res) => handle(req, res, () => res.end('the host')));
		await new Promise<void>((resolve) => host.listen(0, '127.0.0.1', resolve));
		const { port } = host.address() as AddressInfo;
		const get = (path: string) =>
			fetch(`http://127.0.0.1:${port}${path}`, { headers: { 'x-api-key': 'k' } });
		expect(await (await get('/page')).text()).toBe('the host');
		const ours = await get('/v1/models');
		expect([ours.status, await ours.json()]).toMatchObject([
			503,
			{ error: { code: 'server_not_ready' } },
		]);
		expect(await (await get('/page')).text()).toBe('the host');
		host.close();
		host.closeAllConnections();
	});

	test('refuses requests once it has stopped, and says so to probes', async () => {
		const app = await createApp({ backends: { auth } }, { log, env: {} });
		const get = async (path: string) => {
			const headers = { 'x-api-key': 'k' };
			const response = await app.fetch(new Request(`http://plinth.test${path}`, { headers }));
			return [response.status, await response.json()];
		};
		expect(await get('/v1/models')).toEqual([200, { object: 'list', data: [] }]);
		await app.stop();
		expect(await get('/v1/models')).toMatchObject([503, { error: { code: 'server_stopping' } }]);
		expect(await get('/readyz')).toMatchObject([503, { reason: 'stopped' }]);
	});

	test('lets everybody in when authentication is off', async () => {
		const app = await createApp({ server: { auth: 'off' } }, { log, env: {} });
		expect((await app.fetch(new Request('http://plinth.test/v1/models'))).status).toBe(200);
		await app.stop();
	});

	test('has a service for whoever embeds it, and says when it has not', async () => {
		const app = await createApp({ backends: { auth, records: memoryRecords() } }, { log, env: {} });
		expect(app.service(services.records)).toBeDefined();
		expect(() => app.service(services.blobs)).toThrow(/nothing provides core\.blobs/);
		await app.stop();
	});
});
