import { apiKeys } from '@plinth/keys';
import { silentLogger } from '@plinth/testing';
import { describe, expect, onTestFinished, test } from 'vitest';
import { z } from 'zod';
import { type AppConfig, BootError, createApp, defineModel, defineModelKind, definePlugin } from '../../src/index.ts';
import { toy, toyPlugin } from './support.ts';

interface Bell {
	readonly tones: readonly string[];
}

const config = z.strictObject({ tones: z.array(z.string()) });
const bellKind = defineModelKind<Bell>('bell', undefined, ({ tones }) => ({ tones: [...tones] }));
const bell = defineModel({ kind: bellKind, name: 'test.bell', config, create: ({ config: { tones } }) => ({ tones }) });
const prices: unknown[] = [];
const bells = definePlugin({
	id: 'bells',
	config: z.strictObject({}),
	models: [bellKind],
	setup: ({ models, onStart }) => {
		const found = models(bellKind, ({ tones }) => ({ count: tones.length }));
		onStart(() => void prices.push(...found.list().map(({ price }) => price)));
	},
});

async function listed(models: object) {
	const backends = { auth: apiKeys({ keys: 'key-of-the-tests' }) };
	const plugins = { bells: bells(), toys: toyPlugin().plugin() };
	const app = await createApp({ backends, plugins, models } as AppConfig, { log: silentLogger(), env: {} });
	onTestFinished(() => app.stop());
	const headers = { authorization: 'Bearer key-of-the-tests' };
	const answer = await app.fetch(new Request('http://plinth.test/v1/models', { headers }));
	return ((await answer.json()) as { data: { id: string }[] }).data;
}

describe('the facts of a model', () => {
	test('are shown by the function of its kind; a pool shows those of its first model', async () => {
		const models = { a: bell({ tones: ['c'] }), b: bell({ tones: ['d'] }), t: toy(), p: { balance: { b: 1, a: 1 } } };
		const [a, b, p, t] = await listed(models);
		expect([a, b, p]).toMatchObject([
			{ id: 'a', capabilities: { tones: ['c'], count: 1 } },
			{ id: 'b', capabilities: { tones: ['d'] } },
			{ id: 'p', capabilities: { tones: ['d'] } },
		]);
		expect(t).not.toHaveProperty('capabilities');
	});

	test('include the price of the config', async () => {
		const price = { perSecond: '0.1', perMillionInputTokens: 2 };
		const [a, b] = await listed({ a: { use: toy(), price }, b: { use: toy(), price: { currency: 'EUR' } } });
		expect(a).toMatchObject({ price: { currency: 'USD', per_second: 0.1, per_million_input_tokens: 2 } });
		expect(b).toMatchObject({ price: { currency: 'EUR' } });
	});

	test('include the price for the plugin too', async () => {
		prices.length = 0;
		await listed({ a: { use: bell({ tones: [] }), price: { perRequest: 1 } }, b: bell({ tones: [] }) });
		expect(prices).toEqual([{ currency: 'USD', per_request: 1 }, undefined]);
	});

	test.each([{ currency: 'Euro' }, { perSecond: -1 }, { perHour: 1 }])('cannot have the price %j', async (price) => {
		await expect(listed({ a: { use: toy(), price } })).rejects.toThrow(BootError);
	});
});
