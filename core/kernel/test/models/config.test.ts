import { join } from 'node:path';
import { apiKeys } from '@plinth/keys';
import { silentLogger } from '@plinth/testing';
import { findConfig } from 'plinth';
import { describe, expect, onTestFinished, test } from 'vitest';
import { type AppConfig, BootError, createApp } from '../../src/index.ts';
import { noise, toy, toyApp, toyPlugin } from './support.ts';

type Models = NonNullable<AppConfig['models']>;

const backends = { auth: apiKeys({ keys: 'key-of-the-tests' }) };
const plugins = { toys: toyPlugin().plugin() };

/** Boots a config without type checks, like one from a file. */
async function boot(config: object, env: Record<string, string> = {}) {
	const app = await createApp({ backends, plugins, ...config }, { log: silentLogger(), env });
	onTestFinished(() => app.stop());
	return app;
}

async function problemsOf(models: object, env: Record<string, string> = {}) {
	try {
		await boot({ models }, env);
	} catch (error) {
		if (error instanceof BootError) return error.problems;
		throw error;
	}
	return [];
}

describe('models in two notations', () => {
	const folder = join(import.meta.dirname, 'spellings');
	const env = { PLACES: '2', LISTED: 'false', SHARE: '0.5', STAND_IN: 'c' };
	const read = (name: string, given: Record<string, string> = env) =>
		findConfig({ file: join(folder, name), env: given });

	test('give equal configs, with numbers for the texts of variables', async () => {
		const [typescript, yaml] = await Promise.all([read('plinth.config.ts'), read('plinth.config.yaml')]);
		expect(yaml.config).toEqual(typescript.config);
		const { models, pools, problems } = yaml.config;
		expect(problems).toEqual([]);
		expect(models).toMatchObject({
			a: { concurrency: 2, waiting: 0, timeoutSeconds: 1.5, circuit: { failures: 7, seconds: 30 } },
			b: { circuit: false, listed: false },
		});
		expect(pools).toEqual({
			all: {
				balance: { a: 3, b: 0.5 },
				fallback: ['c'],
				aliases: ['every'],
				description: 'Toys.',
				ownedBy: 'me',
				listed: false,
			},
		});
	});

	test('report missing variables once, by their names', async () => {
		const [typescript, yaml] = await Promise.all([read('plinth.config.ts', {}), read('plinth.config.yaml', {})]);
		expect(yaml.config.problems).toEqual(typescript.config.problems);
		expect(yaml.config.problems.map(({ code, path }) => [code, path])).toEqual([
			['E_CONFIG_ENV', 'models.a.concurrency'],
			['E_CONFIG_ENV', 'models.b.listed'],
			['E_CONFIG_ENV', 'models.all.balance.b'],
			['E_CONFIG_ENV', 'models.all.fallback[0]'],
		]);
	});
});

describe('a mistake under models', () => {
	const good = { a: toy(), b: toy(), o: noise() };
	const cases: readonly (readonly [string, object, string, RegExp])[] = [
		['no place at all', { x: { use: toy(), concurrency: 0 } }, 'x.concurrency', /1/],
		['half a place', { x: { use: toy(), concurrency: 1.5 } }, 'x.concurrency', /int/],
		['a switch for a number', { x: { use: toy(), concurrency: true } }, 'x.concurrency', /number/],
		['an empty text', { x: { use: toy(), concurrency: '' } }, 'x.concurrency', /number/],
		['a word for a number', { x: { use: toy(), concurrency: 'two' } }, 'x.concurrency', /number/],
		['fewer than none in line', { x: { use: toy(), concurrency: 1, waiting: -1 } }, 'x.waiting', /0/],
		[
			'waiting without concurrency',
			{ x: { use: toy(), waiting: 3 } },
			'x.waiting',
			/has no effect without concurrency/,
		],
		['no time', { x: { use: toy(), timeoutSeconds: 0 } }, 'x.timeoutSeconds', />0/],
		['more than a day', { x: { use: toy(), timeoutSeconds: 86_401 } }, 'x.timeoutSeconds', /86400/],
		['a fallback that is no list', { x: { use: toy(), fallback: 'a' } }, 'x.fallback', /array/],
		['a circuit that is on', { x: { use: toy(), circuit: true } }, 'x.circuit', /object/],
		['too many failures', { x: { use: toy(), circuit: { failures: 1_001 } } }, 'x.circuit.failures', /1000/],
		['too long a wait', { x: { use: toy(), circuit: { seconds: '3601' } } }, 'x.circuit.seconds', /3600/],
		['an unknown option', { x: { use: toy(), retries: 3 } }, 'x', /"retries"/],
		['a fallback on nothing', { x: { use: toy(), fallback: ['a', 'z'] } }, 'x.fallback[1]', /z/],
		['a fallback on itself', { x: { use: toy(), fallback: ['x'] } }, 'x.fallback[0]', /itself/],
		['a fallback on its own alias', { x: { use: toy(), aliases: ['y'], fallback: ['y'] } }, 'x.fallback[0]', /itself/],
		['a fallback twice', { x: { use: toy(), fallback: ['a', 'a'] } }, 'x.fallback[1]', /a twice/],
		[
			'a fallback of another kind',
			{ x: { use: toy(), fallback: ['o'] } },
			'x.fallback[0]',
			/o, a noise model, where toy models belong/,
		],
		['an empty pool', { x: { balance: {} } }, 'x.balance', /must name a model/],
		['a pool that is no map', { x: { balance: ['a'] } }, 'x.balance', /record/],
		['no share', { x: { balance: { a: 0 } } }, 'x.balance.a', />0/],
		['a share that is no number', { x: { balance: { a: 'much' } } }, 'x.balance.a', /number/],
		['too large a share', { x: { balance: { a: 1e9 } } }, 'x.balance.a', /1000000/],
		['a member that is not there', { x: { balance: { a: 1, z: 1 } } }, 'x.balance.z', /z/],
		['a pool of itself', { x: { balance: { x: 1, a: 1 } } }, 'x.balance.x', /itself/],
		['a pool in a pool', { x: { balance: { y: 1, a: 1 } }, y: { balance: { b: 1 } } }, 'x.balance.y', /is a pool/],
		[
			'a member under two names',
			{ x: { balance: { c: 1, d: 1 } }, c: { use: toy(), aliases: ['d'] } },
			'x.balance.d',
			/c twice/,
		],
		['members of two kinds', { x: { balance: { a: 1, o: 1 } } }, 'x.balance.o', /a noise model/],
		[
			'a pool that falls back on another kind',
			{ x: { balance: { a: 1 }, fallback: ['o'] } },
			'x.fallback[0]',
			/a noise model/,
		],
		['places of a pool', { x: { balance: { a: 1 }, concurrency: 2 } }, 'x', /"concurrency"/],
		['a pool with a factory', { x: { use: toy(), balance: { a: 1 } } }, 'x', /"balance"/],
		['a pool with options', { x: { balance: { a: 1 }, with: {} } }, 'x', /"with"/],
		[
			'an alias twice',
			{ x: { use: toy(), aliases: ['z', 'z'] }, y: toy() },
			'x.aliases',
			/^lists the alias z twice\.$/,
		],
		['its own id as alias', { x: { use: toy(), aliases: ['x'] }, y: toy() }, 'x.aliases', /x, which model x has/],
		['a name that a pool has', { x: { balance: { a: 1 } }, y: { use: toy(), aliases: ['x'] } }, 'y.aliases', /model x/],
	];

	test.each(cases)('is reported by its place: %s', async (_, models, path, message) => {
		const problems = await problemsOf({ ...good, ...models });
		expect(problems.map((problem) => problem.path)).toEqual([`models.${path}`]);
		expect(problems[0]?.message).toMatch(message);
		expect(problems[0]?.remedy).toMatch(/\S/);
	});

	test('is reported together with all other mistakes', async () => {
		const all: Record<string, object> = { ...good };
		const ids = (models: object, index: number) =>
			Object.fromEntries(Object.entries(models).map(([id, value]) => [`${id}${index}`, value]));
		const single = cases.filter(([, models]) => Object.keys(models).length === 1);
		for (const [index, [, models]] of single.entries()) Object.assign(all, ids(models, index));
		const problems = await problemsOf(all);
		expect(new Set(problems.map(({ owner }) => owner)).size).toBe(single.length);
	});

	test('is reported with its variable, and with a remedy for options of the other form', async () => {
		const remedy = async (entry: object) => (await problemsOf({ a: toy(), x: entry }, { PLACES: 'many' }))[0]?.remedy;
		expect(await remedy({ use: toy(), concurrency: '${PLACES}' })).toBe('Correct the environment variable PLACES.');
		expect(await remedy({ balance: { a: 1 }, concurrency: 2 })).toBe(
			'A pool has no concurrency of its own: set it at its members.',
		);
	});

	test('is not reported again at entries that refer to an unreadable entry', async () => {
		const problems = await problemsOf({
			a: { use: './nowhere.ts#toy' },
			p: { balance: { z: 'much' } },
			b: { use: toy(), fallback: ['a', 'p'] },
		});
		expect(problems.map(({ path }) => path)).toEqual(['models.a', 'models.p.balance.z']);
	});
});

describe('a preset', () => {
	const preset = {
		backends,
		plugins,
		models: { a: toy(), b: toy(), p: { balance: { a: 1, b: 1 } } },
	};
	const tree = async (config: object) => (await boot({ extends: preset, plugins: {}, ...config })).tree();

	test('loses its pool by false, like a model', async () => {
		const { models } = await tree({ models: { p: false } });
		expect(models.map(({ id }) => id)).toEqual(['a', 'b']);
	});

	test('may have a pool whose kind no plugin consumes; a config itself may not', async () => {
		const { models, unusedModels } = await tree({ plugins: { toys: false } });
		expect(models).toEqual([]);
		expect(unusedModels.map(({ id }) => id)).toEqual(['a', 'b', 'p']);
		await expect(tree({ plugins: { toys: false }, models: { own: { balance: { a: 1 } } } })).rejects.toMatchObject({
			problems: [{ code: 'E_MODEL_UNUSED', path: 'models.own' }],
		});
	});

	test('whose pool lost a model is reported with the missing model', async () => {
		await expect(tree({ models: { b: false } })).rejects.toMatchObject({
			problems: [{ path: 'models.p.balance.b', message: expect.stringContaining('b') }],
		});
	});
});

describe('the list of models', () => {
	const models: Models = {
		a: { use: toy(), listed: false },
		b: toy(),
		p: { balance: { a: 3, b: 1 }, aliases: ['both'] },
	};

	test('contains pools, and omits unlisted models, which can still be called', async () => {
		const { list, send } = await toyApp(models);
		expect(await list()).toMatchObject([
			{ id: 'b', kind: 'toy', owned_by: 'test', description: 'A toy.', health: 'up' },
			{
				id: 'p',
				kind: 'toy',
				owned_by: 'plinth',
				description: 'A pool of 2 toy models.',
				aliases: ['both'],
				health: 'up',
			},
		]);
		expect((await send('/v1/models/a')).status).toBe(404);
		expect(await (await send('/v1/models/both')).json()).toMatchObject({ id: 'p' });
		expect((await send('/v1/toys/a')).status).toBe(200);
	});

	test('is complete in the boot tree, which shows the members of a pool', async () => {
		const { app } = await toyApp(models);
		const { models: all, parts } = app.tree();
		expect(all.map(({ id }) => id)).toEqual(['a', 'b', 'p']);
		expect(parts.at(-1)).toMatchObject({ owner: 'pool p', factory: 'a: 3, b: 1' });
	});
});
