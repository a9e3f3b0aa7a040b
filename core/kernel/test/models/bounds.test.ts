import { describe, expect, test } from 'vitest';
import { type ModelCall, modelError, plinthError } from '../../src/index.ts';
import { caller, openWork, settle, type Toy, toy, toyApp } from './support.ts';

const fail = async () => {
	throw modelError('It broke.');
};
const say = async ({ id }: { readonly id: string }) => id;

describe('concurrency', () => {
	test('applies to a model for every way to reach it', async () => {
		const { toys } = await toyApp({
			a: { use: toy(), concurrency: 1, waiting: 9, aliases: ['alias'] },
			b: { use: toy(), fallback: ['a'] },
			pool: { balance: { a: 1 } },
		});
		let [running, most] = [0, 0];
		const count = async ({ id }: { readonly id: string }) => {
			if (id === 'b') throw modelError('It broke.');
			running += 1;
			most = Math.max(most, running);
			await settle();
			running -= 1;
			return id;
		};
		const pending = ['a', 'alias', 'b', 'pool', 'a'].map((id) => toys.ask(id, caller(), count));
		expect(await Promise.all(pending)).toEqual(['a', 'a', 'a', 'a', 'a']);
		expect(most).toBe(1);
	});

	test('refuses a call when slots and queue are full, with a time to retry', async () => {
		const { toys, send } = await toyApp({ a: { use: toy(), concurrency: 1, waiting: 0 } }, async (id) => ({ id }));
		const { work, resolve } = openWork();
		const pending = toys.ask('a', caller(), work);
		const refused = await send('/v1/toys/a');
		expect([refused.status, refused.headers.get('retry-after')]).toEqual([429, '5']);
		resolve('done');
		await pending;
		expect((await send('/v1/toys/a')).status).toBe(200);
	});

	test('has a default queue of 64 calls', async () => {
		const { toys } = await toyApp({ a: { use: toy(), concurrency: 1 } });
		const { work, resolve } = openWork();
		const pending = Array.from({ length: 66 }, () => toys.ask('a', caller(), work));
		const settled = Promise.allSettled(pending);
		resolve('done');
		const refused = (await settled).filter(({ status }) => status === 'rejected');
		expect(refused).toMatchObject([{ reason: { code: 'E_MODEL_BUSY' } }]);
	});

	test('rejects a waiting call at once when the caller disconnects, and tries no other model', async () => {
		const { toys } = await toyApp({
			a: { use: toy(), concurrency: 1, fallback: ['b'] },
			b: toy(),
		});
		const { work, resolve } = openWork();
		const first = toys.ask('a', caller(), work);
		const client = caller();
		const waiting = toys.ask('a', client, say);
		await settle();
		const reason = new Error('gone');
		client.leave(reason);
		await expect(waiting).rejects.toBe(reason);
		expect(client.asked).toEqual([]);
		resolve('done');
		await first;
	});

	test('passes a slot on when the caller disconnects at the moment of its turn', async () => {
		const { toys } = await toyApp({ a: { use: toy(), concurrency: 1 } });
		const release = await toys.ask('a', caller(), async (turn) => turn.keepSlot());
		const client = caller();
		const waiting = toys.ask('a', client, say);
		await settle();
		release();
		const reason = new Error('gone');
		client.leave(reason);
		await expect(waiting).rejects.toBe(reason);
		expect(client.asked).toEqual([]);
		expect(await toys.ask('a', caller(), say)).toBe('a');
	});

	test('releases a slot for every end of the work', async () => {
		const { toys } = await toyApp({ a: { use: toy(), concurrency: 1, waiting: 0 } });
		await expect(toys.ask('a', caller(), fail)).rejects.toMatchObject({ code: 'E_MODEL_FAILED' });
		const thrown = toys.ask('a', caller(), () => {
			throw new Error('at once');
		});
		await expect(thrown).rejects.toThrow('at once');
		expect(await toys.ask('a', caller(), say)).toBe('a');
	});
});

describe('a held slot', () => {
	const model = { use: toy(), concurrency: 1, waiting: 0 };
	const busy = { code: 'E_MODEL_BUSY' };

	test('stays in use after the work until it is released, also twice', async () => {
		const { toys } = await toyApp({ a: model });
		const release = await toys.ask('a', caller(), async (turn) => turn.keepSlot());
		await expect(toys.ask('a', caller(), say)).rejects.toMatchObject(busy);
		release();
		release();
		const again = await toys.ask('a', caller(), async (turn) => turn.keepSlot());
		release();
		await expect(toys.ask('a', caller(), say)).rejects.toMatchObject(busy);
		again();
		expect(await toys.ask('a', caller(), say)).toBe('a');
	});

	test('is released when the caller disconnects', async () => {
		const { toys } = await toyApp({ a: model });
		const client = caller();
		await toys.ask('a', client, async (turn) => turn.keepSlot());
		await expect(toys.ask('a', caller(), say)).rejects.toMatchObject(busy);
		client.leave();
		expect(await toys.ask('a', caller(), say)).toBe('a');
	});

	test('is released when the work fails, because the caller got nothing to release', async () => {
		const { toys } = await toyApp({ a: model });
		const pending = toys.ask('a', caller(), async (turn) => {
			turn.keepSlot();
			return fail();
		});
		await expect(pending).rejects.toMatchObject({ code: 'E_MODEL_FAILED' });
		expect(await toys.ask('a', caller(), say)).toBe('a');
	});

	test('can be released without a concurrency limit', async () => {
		const { toys } = await toyApp({ a: toy() });
		const release = await toys.ask('a', caller(), async (turn) => turn.keepSlot());
		expect(release()).toBeUndefined();
	});
});

describe('a time limit', () => {
	test('tries the next model when the work ignores its signal, and ignores its outcome', async () => {
		const { toys, clock } = await toyApp({
			a: { use: toy(), timeoutSeconds: 2, fallback: ['b'] },
			b: toy(),
		});
		const { promise, reject } = Promise.withResolvers<string>();
		let signal: AbortSignal | undefined;
		const client = caller();
		const pending = toys.ask('a', client, (turn) => {
			if (turn.id === 'b') return say(turn);
			signal = turn.signal;
			return promise;
		});
		await settle();
		await clock.advance(1_999);
		expect([signal?.aborted, client.asked]).toEqual([false, ['a']]);
		await clock.advance(1);
		expect(await pending).toBe('b');
		expect(signal?.reason).toMatchObject({ code: 'E_MODEL_TIMEOUT' });
		reject(new Error('too late'));
		await settle();
	});

	test('is reported to the caller when no model is left', async () => {
		const { toys, clock } = await toyApp({ a: { use: toy(), timeoutSeconds: '0.5' } });
		const pending = toys.ask('a', caller(), () => new Promise(() => {}));
		const outcome = expect(pending).rejects.toMatchObject({
			code: 'E_MODEL_TIMEOUT',
			message: 'The model did not answer within 0.5 seconds.',
		});
		await settle();
		await clock.advance(500);
		await outcome;
	});

	test('has aborted a signal that the work first reads after the limit', async () => {
		const { toys, clock } = await toyApp({ a: { use: toy(), timeoutSeconds: 1 } });
		let kept: ModelCall<Toy> | undefined;
		const pending = toys.ask('a', caller(), (turn) => {
			kept = turn;
			return new Promise(() => {});
		});
		const outcome = expect(pending).rejects.toMatchObject({ code: 'E_MODEL_TIMEOUT' });
		await settle();
		await clock.advance(1_000);
		await outcome;
		expect(kept?.signal.reason).toMatchObject({ code: 'E_MODEL_TIMEOUT' });
	});

	test('does not include the wait in the queue', async () => {
		const { toys, clock } = await toyApp({
			a: { use: toy(), concurrency: 1, timeoutSeconds: 2 },
		});
		const [first, second] = [openWork(), openWork()];
		const pending = [first, second].map(({ work }) => toys.ask('a', caller(), work));
		await settle();
		await clock.advance(1_999);
		first.resolve('first');
		await settle();
		await clock.advance(1_999);
		second.resolve('second');
		expect(await Promise.all(pending)).toEqual(['first', 'second']);
	});

	test('ends with the work: its signal then follows only the caller', async () => {
		const { toys, clock } = await toyApp({ a: { use: toy(), timeoutSeconds: 2 } });
		const client = caller();
		const { signal, isTimed } = await toys.ask('a', client, async (turn) => ({
			isTimed: turn.isTimed,
			signal: turn.signal,
		}));
		await clock.advance(10_000);
		expect([isTimed, signal.aborted]).toEqual([true, false]);
		const reason = new Error('gone');
		client.leave(reason);
		expect(signal.reason).toBe(reason);
	});

	test('keeps the slot for work that continues until it settles, but not for ever', async () => {
		const { toys, clock } = await toyApp({
			a: { use: toy(), concurrency: 1, waiting: 0, timeoutSeconds: 1 },
		});
		const busy = { code: 'E_MODEL_BUSY' };
		const late = openWork();
		const held = (turn: ModelCall<Toy>) => {
			turn.keepSlot();
			return late.work();
		};
		for (const work of [held, () => new Promise<string>(() => {})]) {
			const pending = expect(toys.ask('a', caller(), work)).rejects.toMatchObject({
				code: 'E_MODEL_TIMEOUT',
			});
			await settle();
			await clock.advance(1_000);
			await pending;
			await expect(toys.ask('a', caller(), say)).rejects.toMatchObject(busy);
			late.resolve('late');
			await settle();
			if (work !== held) await clock.advance(30_000);
			expect(await toys.ask('a', caller(), say)).toBe('a');
		}
	});
});

describe('a circuit', () => {
	const circuit = { failures: 2, seconds: 10 };

	test('skips a model that keeps failing until a trial succeeds', async () => {
		const { toys, clock, lines, list } = await toyApp({
			a: { use: toy(), circuit, fallback: ['b'] },
			b: toy(),
		});
		let isBroken = true;
		const work = async ({ id }: { readonly id: string }) => {
			if (id === 'a' && isBroken) throw modelError('It broke.');
			return id;
		};
		const turns = async () => {
			const client = caller();
			await toys.ask('a', client, work);
			return client.asked.join(' ');
		};
		const health = async () => (await list()).map((each) => each.health);
		expect([await turns(), await turns(), await turns()]).toEqual(['a b', 'a b', 'b']);
		expect(await health()).toEqual(['down', 'up']);
		await clock.advance(10_000);
		expect(await health()).toEqual(['trying', 'up']);
		expect([await turns(), await turns()]).toEqual(['a b', 'b']);
		await clock.advance(10_000);
		isBroken = false;
		expect([await turns(), await turns()]).toEqual(['a', 'a']);
		expect(await health()).toEqual(['up', 'up']);
		const logged = lines.filter(({ fields }) => fields.model === 'a');
		expect(logged.map(({ level }) => level)).toEqual(['warn', 'info']);
	});

	test('reports when to retry if there is no other model', async () => {
		const { toys, send, clock } = await toyApp({ a: { use: toy(), circuit } }, fail);
		await send('/v1/toys/a');
		await send('/v1/toys/a');
		await clock.advance(2_500);
		const refused = await send('/v1/toys/a');
		expect([refused.status, refused.headers.get('retry-after')]).toEqual([503, '8']);
		await clock.advance(7_500);
		expect(await toys.ask('a', caller(), say)).toBe('a');
	});

	test('reports the time of the first trial when several models are open', async () => {
		const { toys, clock } = await toyApp({
			a: { use: toy(), circuit: { failures: 1, seconds: 40 } },
			b: { use: toy(), circuit: { failures: 1, seconds: 20 } },
			pool: { balance: { a: 1, b: 1 } },
		});
		await expect(toys.ask('pool', caller(), fail)).rejects.toMatchObject({
			code: 'E_MODEL_FAILED',
		});
		await clock.advance(5_000);
		await expect(toys.ask('pool', caller(), say)).rejects.toMatchObject({
			code: 'E_MODEL_UNAVAILABLE',
			headers: { 'retry-after': '15' },
		});
	});

	test('never reports a wait above a minute', async () => {
		const { toys } = await toyApp({ a: { use: toy(), circuit: { failures: 1, seconds: 3_600 } } });
		await expect(toys.ask('a', caller(), fail)).rejects.toThrow();
		await expect(toys.ask('a', caller(), say)).rejects.toMatchObject({
			headers: { 'retry-after': '60' },
		});
	});

	test('refuses other calls during a trial, which ends when its caller disconnects', async () => {
		const { toys, clock } = await toyApp({ a: { use: toy(), circuit } });
		for (let count = 0; count < 2; count += 1) {
			await expect(toys.ask('a', caller(), fail)).rejects.toThrow();
		}
		await clock.advance(10_000);
		const client = caller();
		void toys.ask('a', client, () => new Promise(() => {}));
		await settle();
		await expect(toys.ask('a', caller(), say)).rejects.toMatchObject({
			code: 'E_MODEL_UNAVAILABLE',
			headers: { 'retry-after': '1' },
		});
		client.leave();
		expect(await toys.ask('a', caller(), say)).toBe('a');
	});

	test('ignores callers that disconnect and models that are busy', async () => {
		const { toys } = await toyApp({ a: { use: toy(), circuit } });
		for (let count = 0; count < 5; count += 1) {
			const client = caller();
			const left = toys.ask('a', client, () => {
				client.leave();
				return fail();
			});
			await expect(left).rejects.toThrow('left');
			const busy = toys.ask('a', caller(), async () => {
				throw plinthError('E_MODEL_BUSY');
			});
			await expect(busy).rejects.toMatchObject({ code: 'E_MODEL_BUSY' });
		}
		expect(await toys.ask('a', caller(), say)).toBe('a');
	});

	test('sends waiting calls to the fallback when it opens', async () => {
		const { toys } = await toyApp({
			a: { use: toy(), concurrency: 1, circuit: { failures: 1 }, fallback: ['b'] },
			b: toy(),
		});
		const first = openWork();
		const broken = toys.ask('a', caller(), (turn) => (turn.id === 'a' ? first.work() : say(turn)));
		const client = caller();
		const waiting = toys.ask('a', client, say);
		await settle();
		first.reject(modelError('It broke.'));
		expect(await Promise.all([broken, waiting])).toEqual(['b', 'b']);
		expect(client.asked).toEqual(['b']);
	});

	test('exists by default only for models with a fallback', async () => {
		const { toys, list } = await toyApp({
			alone: toy(),
			first: { use: toy(), fallback: ['alone'] },
			member: { use: toy(), aliases: ['m'] },
			never: { use: toy(), circuit: false },
			only: toy(),
			pool: { balance: { m: 1, never: 1 } },
			single: { balance: { only: 1 } },
			backed: toy(),
			pair: { balance: { backed: 1 }, fallback: ['alone'] },
		});
		for (const id of ['alone', 'first', 'member', 'never', 'only', 'backed']) {
			for (let count = 0; count < 5; count += 1) {
				await toys.ask(id, caller(), fail).catch(() => {});
			}
		}
		const health = Object.fromEntries((await list()).map((each) => [each.id, each.health]));
		expect(health).toMatchObject({
			alone: 'up',
			first: 'down',
			member: 'down',
			never: 'up',
			only: 'up',
			pool: 'up',
			single: 'up',
			backed: 'down',
			pair: 'down',
		});
	});
});
