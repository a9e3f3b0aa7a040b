import { describe, expect, test } from 'vitest';
import { invalidValue, type ModelCall, modelError, plinthError } from '../../src/index.ts';
import { caller, noise, openWork, settle, type Toy, toy, toyApp } from './support.ts';

type Turn = ModelCall<Toy>;

/** Work that fails for some models. For other models it returns their id. */
const failing =
	(errors: Readonly<Record<string, unknown>>) =>
	async ({ id }: Turn) => {
		if (id in errors) throw errors[id];
		return id;
	};

const broken = () => modelError('It broke.');

describe('a call of a model', () => {
	test('without a fallback reaches it by id or alias, with the signal of the caller', async () => {
		const { toys } = await toyApp({ a: { use: toy(), aliases: ['first'] } });
		const client = caller();
		const seen = await toys.ask('first', client, async ({ id, model, signal, isTimed }) => {
			return { id, model, isTimed, isSame: signal === client.signal };
		});
		expect(seen).toEqual({ id: 'a', model: { id: 'a' }, isTimed: false, isSame: true });
		expect(client.asked).toEqual(['a']);
	});

	test('prepares each model before its slot is claimed, and no model whose circuit is open', async () => {
		const { toys } = await toyApp({
			a: { use: toy(), concurrency: 1, fallback: ['b', 'c'] },
			b: { use: toy(), concurrency: 1 },
			c: toy(),
		});
		const prepared: string[] = [];
		const answer = await toys.ask('a', caller(), failing({ a: broken() }), async ({ id }) => {
			prepared.push(id);
			if (id === 'b') throw invalidValue('x', 'b takes no x.');
			// With concurrency 1 it would wait for itself.
			if (id === 'a') await toys.ask('a', caller(), async () => {});
		});
		expect([answer, prepared]).toEqual(['c', ['a', 'b', 'c']]);
		for (let time = 1; time < 5; time++) await toys.ask('a', caller(), failing({ a: broken() }));
		prepared.length = 0;
		await toys.ask('a', caller(), failing({}), async ({ id }) => prepared.push(id));
		expect(prepared).toEqual(['b']);
	});

	test('makes no signal for a model that needs none', async () => {
		const { toys } = await toyApp({
			a: toy(),
			b: { use: toy(), concurrency: 1, fallback: ['a'] },
			pool: { balance: { a: 1, b: 1 } },
		});
		const client = Object.defineProperty(caller(), 'signal', {
			get: () => {
				throw new Error('nobody needs it');
			},
		});
		const answers: string[] = [];
		for (const id of ['a', 'b', 'pool', 'pool']) {
			answers.push(await toys.ask(id, client, async (turn) => turn.id));
		}
		expect(answers).toEqual(['a', 'b', 'a', 'b']);
	});

	test('with an unknown id or another kind reports the listed models', async () => {
		const { toys } = await toyApp({
			a: toy(),
			hidden: { use: toy(), listed: false },
			pool: { balance: { a: 1, hidden: 1 } },
			bang: noise(),
		});
		expect(toys.list().map(({ id }) => id)).toEqual(['a', 'hidden']);
		for (const id of ['nobody', 'bang']) {
			await expect(toys.ask(id, caller(), async () => {})).rejects.toMatchObject({
				code: 'E_MODEL_NOT_FOUND',
				message: expect.stringContaining('Available: a, pool.'),
			});
		}
		expect(await toys.ask('hidden', caller(), async ({ id }) => id)).toBe('hidden');
	});

	test('turns a synchronous exception into a rejection', async () => {
		const { toys } = await toyApp({ a: toy(), b: { use: toy(), concurrency: 1 } });
		for (const id of ['a', 'b', 'b']) {
			const pending = toys.ask(id, caller(), () => {
				throw invalidValue('prompt', 'No.');
			});
			await expect(pending).rejects.toMatchObject({ param: 'prompt' });
		}
	});
});

describe('a fallback', () => {
	const models = {
		a: { use: toy(), fallback: ['b', 'see'] },
		b: { use: toy(), fallback: ['d'] },
		c: { use: toy(), aliases: ['see'] },
		d: toy(),
	};

	test.each([
		['a failure of its own', broken()],
		['a full line', plinthError('E_MODEL_BUSY')],
		['an upstream that is away', plinthError('E_MODEL_UNAVAILABLE')],
		['its own time limit', plinthError('E_MODEL_TIMEOUT')],
		['an error without a code', new TypeError('undefined is not a function')],
	])('takes over from a model after %s', async (_, error) => {
		const { toys } = await toyApp(models);
		const client = caller();
		expect(await toys.ask('a', client, failing({ a: error }))).toBe('b');
		expect(client.asked).toEqual(['a', 'b']);
		const code = (error as { code?: string }).code ?? null;
		expect(client.lines).toEqual([
			{
				level: 'info',
				fields: { model: 'a', next: 'b', code, err: error },
				message: 'falling back to another model',
			},
		]);
	});

	test.each([
		['a mistake of the client', invalidValue('prompt', 'No.')],
		['a fault of the server', plinthError('E_OVERLOADED')],
	])('does not take over after %s', async (_, error) => {
		const { toys } = await toyApp(models);
		const client = caller();
		await expect(toys.ask('a', client, failing({ a: error }))).rejects.toBe(error);
		expect(client.asked).toEqual(['a']);
	});

	test('is tried in its order for one step, and the caller receives the last failure', async () => {
		const { toys } = await toyApp(models);
		const client = caller();
		const last = broken();
		await expect(toys.ask('a', client, failing({ a: broken(), b: broken(), c: last }))).rejects.toBe(last);
		expect(client.asked).toEqual(['a', 'b', 'c']);
	});

	test('that refuses the request hides no failure, and does not end the search', async () => {
		const { toys } = await toyApp(models);
		const refusal = invalidValue('voice', 'Not here.');
		expect(await toys.ask('a', caller(), failing({ a: broken(), b: refusal }))).toBe('c');
		const failure = broken();
		await expect(toys.ask('a', caller(), failing({ a: failure, b: refusal, c: refusal }))).rejects.toBe(failure);
	});

	test('that fails because of an internal error ends the search', async () => {
		const { toys } = await toyApp(models);
		const fault = plinthError('E_OVERLOADED');
		await expect(toys.ask('a', caller(), failing({ a: broken(), b: fault }))).rejects.toBe(fault);
	});

	test.each(['a', 'd'])('does not take over for a caller that has disconnected: %s', async (id) => {
		const { toys } = await toyApp(models);
		const client = caller();
		const reason = new Error('gone');
		const pending = toys.ask(id, client, async ({ signal }) => {
			client.leave(reason);
			throw signal.aborted ? new Error('aborted') : broken();
		});
		await expect(pending).rejects.toBe(reason);
		expect(client.asked).toEqual([id]);
	});

	test('takes over from a model without a circuit too', async () => {
		const { toys } = await toyApp({ a: { use: toy(), circuit: false, fallback: ['b'] }, b: toy() });
		expect(await toys.ask('a', caller(), failing({ a: broken() }))).toBe('b');
	});

	test('that is a pool is tried member by member, each model once', async () => {
		const { toys } = await toyApp({
			a: { use: toy(), fallback: ['pool', 'c'] },
			b: toy(),
			c: toy(),
			pool: { balance: { a: 1, b: 3, c: 2 } },
		});
		const client = caller();
		const errors = { a: broken(), b: broken(), c: broken() };
		await expect(toys.ask('a', client, failing(errors))).rejects.toBe(errors.c);
		expect(client.asked).toEqual(['a', 'b', 'c']);
	});
});

describe('a pool', () => {
	const models = {
		a: { use: toy(), concurrency: 1, waiting: 1 },
		b: { use: toy(), concurrency: 1, waiting: 1 },
		c: toy(),
		pool: { balance: { a: 3, b: 1 }, fallback: ['c'], aliases: ['both'] },
	};

	test('shares its calls by weight', async () => {
		const { toys } = await toyApp({ a: toy(), b: toy(), pool: { balance: { a: 3, b: 1 } } });
		const answers: string[] = [];
		for (let count = 0; count < 100; count += 1) {
			answers.push(await toys.ask('pool', caller(), async ({ id }) => id));
		}
		expect(answers.filter((id) => id === 'a')).toHaveLength(75);
		expect(answers.slice(0, 4)).toEqual(['a', 'a', 'b', 'a']);
	});

	test('tries the next member after a failure, and a refusal is final', async () => {
		const { toys } = await toyApp(models);
		const client = caller();
		expect(await toys.ask('both', client, failing({ a: broken(), b: broken() }))).toBe('c');
		expect(client.asked).toEqual(['a', 'b', 'c']);
		const refusal = invalidValue('prompt', 'No.');
		await expect(toys.ask('pool', caller(), failing({ a: refusal, b: refusal }))).rejects.toBe(refusal);
	});

	test('prefers members with a free slot, and waits before it tries a fallback', async () => {
		const { toys } = await toyApp(models);
		const [one, two, three, four] = [openWork(), openWork(), openWork(), openWork()];
		const clients = [caller(), caller(), caller(), caller()];
		const pending = [one, two, three, four].map(({ work }, index) =>
			toys.ask('pool', clients[index] ?? caller(), work),
		);
		await settle();
		expect(clients.map((client) => client.asked)).toEqual([['a'], ['b'], [], []]);
		const late = caller();
		expect(await toys.ask('pool', late, async ({ id }) => id)).toBe('c');
		expect(late.lines).toMatchObject([{ fields: { next: 'c', code: 'E_MODEL_BUSY' } }]);
		for (const { resolve } of [one, two, three, four]) resolve('done');
		expect(await Promise.all(pending)).toEqual(['done', 'done', 'done', 'done']);
		expect(clients.map((client) => client.asked.length)).toEqual([1, 1, 1, 1]);
	});

	test('is resolved to the model of its first member, and is not listed as a model', async () => {
		const { toys } = await toyApp(models);
		expect(toys.get('both')).toEqual({ id: 'pool', model: { id: 'a' } });
		expect(toys.list().map(({ id }) => id)).toEqual(['a', 'b', 'c']);
	});
});
