import { forwardRequest } from '@plinth/testing';
import { tryPassthrough } from '@plinth/toolkit';
import { describe, expect, test } from 'vitest';
import { type Call, type ForwardRequest, modelError, plinthError, type RawBody, Reply } from '../../src/index.ts';
import { caller, settle, type Toy, toy, toyApp } from './support.ts';

const passedOn = Reply.forward(200, Promise.resolve());

/** A body that names a model. */
function bodyFor(model: string): RawBody {
	const bytes = Buffer.from(JSON.stringify({ model }));
	return {
		bytes,
		model,
		names: ['model'],
		value: { model },
		withModel: (name) => Buffer.from(JSON.stringify({ model: name })),
	};
}

/** The request for the upstream of a model. */
const requestOf = ({ id }: Toy) => forwardRequest(bodyFor(id), { origin: `http://${id}.test` });

/** A call whose upstreams respond with `forward`, and a record of the requests. */
function callWith(forward: Call['forward'] = async () => passedOn) {
	const sent: ForwardRequest[] = [];
	const call = {
		...caller(),
		forward(...given: Parameters<Call['forward']>) {
			sent.push(given[0]);
			return forward(...given);
		},
	} as unknown as Call;
	return { call, sent, origins: () => sent.map(({ origin }) => origin) };
}

const first = { use: toy(), fallback: ['second'] };
const second = { use: toy() };

describe('a request that may pass through', () => {
	test('is passed to the model that the body names, also by an alias', async () => {
		const { toys } = await toyApp({ first: { use: toy(), aliases: ['other'] } });
		for (const name of ['first', 'other']) {
			const { call, origins } = callWith();
			const reply = await tryPassthrough(toys, bodyFor(name), call, ({ model }) => requestOf(model));
			expect([reply, origins()]).toEqual([passedOn, ['http://first.test']]);
		}
	});

	test.each<[string, () => ForwardRequest | undefined]>([
		['has none', () => undefined],
		[
			'refuses',
			() => {
				throw plinthError('E_VALUE_UNSUPPORTED');
			},
		],
	])('that a model %s is left to the translation, and uses no slot', async (_, requestFor) => {
		const { toys } = await toyApp({ first: { use: toy(), concurrency: 1, waiting: 0 } });
		const { call, sent } = callWith();
		const turn = await new Promise<() => void>((resolve) => {
			toys.ask('first', caller(), () => new Promise<void>((end) => resolve(end)));
		});
		expect(await tryPassthrough(toys, bodyFor('first'), call, requestFor)).toBeUndefined();
		expect(sent).toEqual([]);
		turn();
	});

	test('for an unknown model is left to the translation', async () => {
		const { toys } = await toyApp({ first: second });
		const { call } = callWith();
		expect(await tryPassthrough(toys, bodyFor('gone'), call, () => undefined)).toBeUndefined();
	});

	test.each(['E_MODEL_FAILED', 'E_MODEL_BUSY', 'E_MODEL_UNAVAILABLE'] as const)(
		'that fails with %s is tried with the next model, and then fails',
		async (code) => {
			const { toys } = await toyApp({ first, second });
			const { call, origins } = callWith(() => Promise.reject(plinthError(code)));
			const reply = await tryPassthrough(toys, bodyFor('first'), call, ({ model }) => requestOf(model));
			expect(reply).toBeUndefined();
			expect(origins()).toEqual(['http://first.test', 'http://second.test']);
		},
	);

	test.each(['E_MODEL_TIMEOUT', 'E_VALUE_INVALID', 'E_TENANT_BUSY'] as const)(
		'that fails with %s is not retried',
		async (code) => {
			const { toys } = await toyApp({ first: second });
			const { call } = callWith(() => Promise.reject(plinthError(code)));
			await expect(tryPassthrough(toys, bodyFor('first'), call, ({ model }) => requestOf(model))).rejects.toMatchObject(
				{ code },
			);
		},
	);

	test('that must not be retried fails with its first error', async () => {
		const { toys } = await toyApp({ first: second });
		const { call } = callWith(() => Promise.reject(plinthError('E_MODEL_BUSY')));
		const calls = [undefined, () => true, () => false].map((mayRepeat) =>
			tryPassthrough(toys, bodyFor('first'), call, ({ model }) => ({
				...requestOf(model),
				...(mayRepeat ? { mayRepeat } : {}),
			})),
		);
		const settled = await Promise.allSettled(calls);
		expect(settled).toMatchObject([{ value: undefined }, { value: undefined }, { reason: { code: 'E_MODEL_BUSY' } }]);
	});

	test('that the next model does not support does not affect its circuit', async () => {
		const circuit = { failures: 1, seconds: 30 };
		const { toys, list } = await toyApp({
			first: { ...first, circuit: false },
			second: { use: toy(), circuit },
		});
		const { call } = callWith(() => Promise.reject(modelError('broken')));
		const requestFor = ({ model }: { readonly model: Toy }) => (model.id === 'first' ? requestOf(model) : undefined);
		expect(await tryPassthrough(toys, bodyFor('first'), call, requestFor)).toBeUndefined();
		expect(await list()).toMatchObject([{ id: 'first' }, { id: 'second', health: 'up' }]);
	});

	test('keeps the slot of its model until the upstream has finished', async () => {
		const { toys } = await toyApp({ first: { use: toy(), concurrency: 1 } });
		let finish = () => {};
		const { call } = callWith(async (_, done = () => {}) => {
			finish = done;
			return passedOn;
		});
		await tryPassthrough(toys, bodyFor('first'), call, ({ model }) => requestOf(model));
		let isAsked = false;
		const next = toys.ask('first', caller(), async () => {
			isAsked = true;
		});
		await settle();
		expect(isAsked).toBe(false);
		finish();
		await next;
	});

	test('is aborted after its time limit, and the next model is tried', async () => {
		const { toys, clock } = await toyApp({ first: { ...first, timeoutSeconds: 5 }, second });
		const signals: (AbortSignal | undefined)[] = [];
		const { call, origins } = callWith(async ({ origin }, _, signal) => {
			signals.push(signal);
			return origin === 'http://first.test' ? new Promise(() => {}) : passedOn;
		});
		const reply = tryPassthrough(toys, bodyFor('first'), call, ({ model }) => requestOf(model));
		await settle();
		await clock.advance(5_000);
		expect(await reply).toBe(passedOn);
		expect(origins()).toEqual(['http://first.test', 'http://second.test']);
		expect(signals).toMatchObject([{ reason: { code: 'E_MODEL_TIMEOUT' } }, undefined]);
	});
});
