import { apiKeys } from '@plinth/keys';
import { memoryBlobs, memoryEvents, memoryJobs, memoryRecords } from '@plinth/memory';
import { silentLogger } from '@plinth/testing';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import {
	type AppConfig,
	BootError,
	createApp,
	defineBackend,
	defineModel,
	defineModelKind,
	definePlugin,
	defineRoute,
	defineService,
	env,
	type JobStore,
	type Route,
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
const missing = defineService<string>('test.missing');

const auth = apiKeys({ keys: 'key-of-the-tests' });
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
): Promise<readonly { code: string; owner: string; path: string; message: string; remedy: string }[]> {
	try {
		await (await createApp(config, { log, env: {} })).stop();
	} catch (error) {
		if (error instanceof BootError) return error.problems;
		throw error;
	}
	return [];
}

describe('a boot that cannot succeed', () => {
	test('lists all mistakes in one report, each with owner, place and remedy', async () => {
		const needy = definePlugin({ id: 'needy', config: none, needs: { missing }, setup: () => {} });
		const strict = definePlugin({
			id: 'strict',
			config: z.strictObject({ hours: z.number() }),
			setup: () => {},
		});
		const config: AppConfig = {
			backends: { auth },
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
			]),
		);
		const report = new BootError(problems as never).message;
		for (const { message, path, remedy } of problems) {
			expect(report).toContain(message);
			expect(report).toContain(path);
			expect(report).toContain(remedy);
		}
	});

	test('names the environment variable that a bad option came from', async () => {
		const server = { port: env('PORT', '8080'), graceMs: 'soon' };
		const booted = createApp({ server }, { log, env: { PORT: 'abc' } });
		const { problems } = (await booted.catch((error) => error as BootError)) as BootError;
		const remedies = Object.fromEntries(problems.map(({ path, remedy }) => [path, remedy]));
		expect(remedies['server.port']).toBe('Correct the environment variable PORT.');
		expect(remedies['server.graceMs']).toBe('Change it, or leave it out: then it is 10000.');
		const messages = Object.fromEntries(problems.map(({ path, message }) => [path, message]));
		expect(messages['server.port']).toBe('Invalid input: expected number, received "abc".');
	});

	test('reports an invalid server option alone, although the default of server.auth replaces its value', async () => {
		for (const [path, server] of Object.entries({
			'server.port': { auth: 'off', port: 'x' },
			'server.auth': { auth: 'none' },
			server: { auth: 'off', prt: 1 },
		})) {
			expect((await problemsOf({ server } as AppConfig)).map((problem) => problem.path)).toEqual([path]);
		}
	});

	test('names the environment variable of an item of a list', async () => {
		const server = { auth: 'off', cors: ['https://a.example', env('ORIGIN')] };
		const booted = createApp({ server }, { log, env: { ORIGIN: 'a.example' } });
		await expect(booted).rejects.toMatchObject({
			problems: [{ path: 'server.cors[1]', remedy: 'Correct the environment variable ORIGIN.' }],
		});
	});

	test('names a missing option and its path', async () => {
		const config = z.strictObject({
			upstream: z.strictObject({ url: z.url(), tries: z.coerce.number(), from: z.union([z.string(), z.number()]) }),
		});
		const strict = definePlugin({ id: 'strict', config, setup: () => {} });
		const options = { upstream: {} } as never;
		expect(await problemsOf({ backends: { auth }, plugins: { strict: strict(options) } })).toMatchObject([
			{ message: 'upstream.url is missing.', remedy: 'Set plugins.strict.with.upstream.url.' },
			{ message: 'upstream.tries is missing.', remedy: 'Set plugins.strict.with.upstream.tries.' },
			{ message: 'upstream.from is missing.', remedy: 'Set plugins.strict.with.upstream.from.' },
		]);
	});

	test('does not wait for ever for the clock of a job store', async () => {
		const withClock = defineBackend({
			name: 'clocked',
			provides: services.jobs,
			config: none,
			create: () => ({ now: () => new Promise(() => {}) }) as unknown as JobStore,
		});
		const server = { auth: 'off', stepTimeoutMs: 200 };
		expect(await problemsOf({ server, backends: { jobs: withClock() } })).toMatchObject([
			{
				code: 'E_STEP_TIMEOUT',
				owner: 'job store',
				message: 'failed to read the time: it has not settled after 200 ms.',
			},
		]);
	});

	test('names both plugins that claim one route, for any names of its parameter', async () => {
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
		).toMatchObject([{ code: 'E_ROUTE_DUPLICATE', message: expect.stringContaining('the kernel') }]);
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

	test('refuses a composition without authentication', async () => {
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

	test('reports the services that jobs need', async () => {
		const jobs = definePlugin({
			id: 'jobs',
			config: none,
			jobs: ['toy'],
			setup: (ctx) => ctx.job('toy', { run: async () => ({ result: {} }) }),
		});
		const problems = await problemsOf({ backends: { auth }, plugins: { jobs: jobs() } });
		expect(problems.map(({ message }) => message).join()).toMatch(/core\.jobs.*core\.blobs.*core\.events/);
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
			blobs: memoryBlobs(),
			events: memoryEvents(),
			records: memoryRecords(),
		};
		expect(await problemsOf({ backends, plugins: { one: jobs('one'), two: jobs('two') } })).toMatchObject([
			{ code: 'E_JOB_KIND', owner: 'plugin two' },
		]);
	});

	test('refuses a plugin that requests models of an undeclared kind', async () => {
		const greedy = definePlugin({ id: 'greedy', config: none, setup: (ctx) => ctx.models(kind) });
		expect(await problemsOf({ backends: { auth }, plugins: { greedy: greedy() } })).toMatchObject([
			{ code: 'E_MODEL_KIND', owner: 'plugin greedy' },
		]);
	});

	test('refuses a plugin that runs jobs of an undeclared kind', async () => {
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
			'with a need that is not a service',
			{ id: 'odd', config: none, needs: { x: undefined }, setup: () => {} },
			'needs.x',
		],
	])('names a plugin %s', async (_name, definition, words) => {
		const odd = definePlugin(definition as never);
		expect(await problemsOf({ backends: { auth }, plugins: { odd: odd() } })).toMatchObject([
			{ code: 'E_DEFINITION', owner: 'plugin odd', message: expect.stringContaining(words) },
		]);
	});

	test('names everything that a route lacks, with its scope', async () => {
		const { handler: _, summary: __, scope: ___, ...rest } = route('/v1/toys');
		expect(await problemsOf({ backends: { auth }, plugins: { one: plugin('one', rest as Route) } })).toMatchObject([
			{
				code: 'E_DEFINITION',
				message: 'registers GET /v1/toys without handler, summary.',
				remedy: 'Pass handler, summary to defineRoute.',
			},
			{ code: 'E_ROUTE_SCOPE', remedy: expect.stringContaining("'things:read'") },
		]);
	});

	test('writes "an" before the name of a kind that begins with a vowel', async () => {
		const orb = defineModel({
			kind: defineModelKind<object>('orb'),
			name: 'test.orb',
			config: none,
			create: () => ({}),
		});
		expect(await problemsOf({ backends: { auth }, models: { one: orb() } })).toMatchObject([
			{ message: 'is an orb model, and no plugin consumes that kind.' },
		]);
	});

	test.each([
		['an unknown key beside use', { use: 'x', wiht: {} }, 'E_CONFIG_SHAPE', 'wiht'],
		['options without a use', { with: { hours: 1 } }, 'E_CONFIG_SHAPE', 'no preset defines plugins.odd'],
		['a package that is not there', { use: '@plinth/nothing' }, 'E_CONFIG_NAME', 'not installed'],
		['an export that is not there', { use: '@plinth/core#nothing' }, 'E_CONFIG_NAME', 'nothing'],
		['a file that is not there', { use: './nothing.js#x' }, 'E_CONFIG_NAME', 'no file'],
	])('reports an entry with %s once', async (_name, entry, code, words) => {
		const problems = await problemsOf({ backends: { auth }, plugins: { odd: entry as never } });
		expect(problems).toMatchObject([{ code, owner: 'plugin odd', message: expect.stringContaining(words) }]);
	});

	test.each([
		['a method in lower case', { method: 'get' }, 'E_DEFINITION', "Write method: 'GET'."],
		['a method that is none', { method: 'LOOK' }, 'E_DEFINITION', 'Write one of them.'],
		[
			'a path in another router’s spelling',
			{ path: '/v1/toys/:id/x/:y' },
			'E_ROUTE_PATH',
			'Write /v1/toys/{id}/x/{y}.',
		],
	])('reports a route with %s, and how to write it', async (_name, change, code, remedy) => {
		const odd = { ...route('/v1/toys'), ...change } as Route;
		expect(await problemsOf({ backends: { auth }, plugins: { one: plugin('one', odd) } })).toMatchObject([
			{ code, remedy },
		]);
	});

	test('names a kind of job that is declared and never defined', async () => {
		const idle = definePlugin({ id: 'idle', config: none, jobs: ['toy'], setup: () => {} });
		const backends = {
			auth,
			jobs: memoryJobs(),
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
		expect(await problemsOf({ backends: { auth }, models: { toy: empty() }, plugins: { toys: toys() } })).toMatchObject(
			[{ code: 'E_STEP_FAILED', owner: 'model toy' }],
		);
	});

	test('reports a factory that was not called', async () => {
		expect(await problemsOf({ backends: { auth, odd: apiKeys as never } })).toMatchObject([
			{ code: 'E_CONFIG_SHAPE', path: 'backends.odd', message: expect.stringContaining('call it') },
		]);
	});

	test('reports a removal that removes nothing', async () => {
		expect(await problemsOf({ extends: { backends: { auth } }, plugins: { spech: false } })).toMatchObject([
			{ code: 'E_CONFIG_SHAPE', owner: 'plugin spech', path: 'plugins.spech' },
		]);
	});

	test('names the right section of a misplaced instance', async () => {
		expect(await problemsOf({ backends: { auth, toy: toyModel() as never } })).toMatchObject([
			{
				code: 'E_CONFIG_SHAPE',
				owner: 'backend toy',
				message: expect.stringMatching(/is a model/),
				remedy: 'Move it to models.',
			},
		]);
	});

	test('refuses waits that exceed the limit of timers, and heartbeats slower than half a lease', async () => {
		expect(await problemsOf({ backends: { auth }, jobs: { maxRunMs: 2_592_000_000 } })).toMatchObject([
			{ path: 'jobs.maxRunMs' },
		]);
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
		expect(await problemsOf({ backends: { auth }, models, plugins: { toys: toys() } })).toMatchObject([
			{
				code: 'E_MODEL_DUPLICATE',
				owner: 'model two',
				message: expect.stringContaining('model one'),
			},
		]);
	});

	test('closes the created parts in reverse order when a later part fails', async () => {
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

	test('lists the options when one is unknown', async () => {
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
			{
				code: 'E_OPTIONS_INVALID',
				message: 'does not know "hour".',
				remedy: 'Did you mean hours? Known here: hours.',
			},
		]);
	});

	test('lists the keys of a config when one is misspelt', async () => {
		expect(await problemsOf({ backends: { auth }, pluggins: {} } as AppConfig)).toMatchObject([
			{
				code: 'E_CONFIG_SHAPE',
				path: '(top level)',
				message: 'does not know "pluggins".',
				remedy: expect.stringMatching(/^Did you mean plugins\? Known here: extends, server, /),
			},
		]);
	});

	test('hides values of names that suggest a secret', async () => {
		const strict = definePlugin({
			id: 'strict',
			config: z.strictObject({ apiKey: z.string().min(8), size: z.string().min(8) }),
			setup: () => {},
		});
		const plugins = { strict: strict({ apiKey: 'shh', size: 'tiny' }) };
		const messages = (await problemsOf({ backends: { auth }, plugins })).map(({ message }) => message);
		expect(messages.join()).toContain('"tiny"');
		expect(messages.join()).not.toContain('shh');
	});

	test('explains how to replace a part of a preset', async () => {
		const preset = { backends: { auth, blobs: memoryBlobs() } };
		const config = { extends: preset, backends: { mine: memoryBlobs() } };
		expect(await problemsOf(config)).toMatchObject([
			{
				code: 'E_SERVICE_DUPLICATE',
				path: 'backends.mine',
				message: 'provides core.blobs, which the preset defines as backends.blobs.',
				remedy: 'Name yours blobs to replace it, or remove it: backends: { blobs: false }.',
			},
		]);
		const { extends: _, ...twice } = {
			...config,
			backends: { ...preset.backends, ...config.backends },
		};
		expect(await problemsOf(twice)).toMatchObject([
			{
				code: 'E_SERVICE_DUPLICATE',
				message: expect.stringContaining('backend blobs (backends.blobs)'),
			},
		]);
	});

	test.each([
		['that is not there', 'plinth:embeded', 'Did you mean plinth:embedded?'],
		['of a package without any', '@plinth/memory', 'Known here: nothing.'],
		['of a package that is not there', '@plinth/nothing:x', 'Install the package'],
	])('reports a preset %s, and none of its missing parts', async (_name, base, remedy) => {
		const plugins = {
			needy: definePlugin({ id: 'needy', config: none, needs: { missing }, setup: () => {} })(),
		};
		const models = { lonely: { use: toyModel(), fallback: ['builtin'] }, gone: false as const };
		expect(await problemsOf({ extends: base, plugins, models })).toMatchObject([
			{ code: 'E_CONFIG_NAME', path: 'extends', remedy: expect.stringContaining(remedy) },
		]);
	});

	test('reports a missing backend, and not the parts that need it', async () => {
		expect(await problemsOf({ backends: { auth: { use: '@plinth/nothing' } } })).toMatchObject([
			{ code: 'E_CONFIG_NAME', path: 'backends.auth' },
		]);
	});
});
