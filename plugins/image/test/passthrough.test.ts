import type { RawBody } from '@plinth/core';
import { answering, errorOf, forwardRequest, gate } from '@plinth/testing';
import { describe, expect, it } from 'vitest';
import { type HarnessOptions, harness } from './harness.ts';

const answer = JSON.stringify({ created: 1, data: [{ b64_json: 'AA==' }] });

/** A forward request to an upstream whose response ends when `end` resolves. */
const request = (raw: RawBody, end?: Promise<void>) =>
	forwardRequest(raw, { dispatcher: answering(answer, 'application/json', end) });

async function passing(options: HarnessOptions = {}) {
	const bodies: RawBody[] = [];
	const forward = (raw: RawBody) => {
		bodies.push(raw);
		return request(raw);
	};
	return { h: await harness({ forward, ...options }), bodies };
}

describe('a generation passes through', () => {
	it.each<[string, Record<string, unknown>, HarnessOptions?]>([
		['with a prompt alone', {}],
		['with a size that the model makes', { size: '64x64' }],
		[
			'with everything that is left to the model',
			{
				quality: 'low',
				background: 'opaque',
				output_format: 'webp',
				output_compression: 50,
				moderation: 'low',
				user: 'u',
				seed: 7,
			},
		],
		['for as many pictures as one call makes', { n: 2 }, { abilities: { count: 2 } }],
	])('%s', async (_, fields, options) => {
		const { h, bodies } = await passing(options);
		const response = await h.generations(fields);
		expect([response.status, await response.text()]).toEqual([200, answer]);
		expect(response.headers.get('x-plinth-model')).toBe('fake-1');
		expect([bodies.length, h.calls.length]).toEqual([1, 0]);
	});
});

describe('a generation is translated', () => {
	const sizes = [{ width: 128, height: 128 }];
	it.each<[string, Record<string, unknown>, HarnessOptions?]>([
		['for more pictures than one call makes', { n: 2 }],
		['for addresses', { response_format: 'url' }],
		['as a stream', { stream: true }],
		['with unfinished states', { partial_images: 1 }],
		['with a name of quality that is ours', { quality: 'hd' }],
		['with a number in quotes', { n: '1' }],
		['with a member that is not known', { service_tier: 'priority' }],
		['with null', { user: null }],
		['for a size that has to be fitted', { size: '64x64' }, { abilities: { sizes, fit: 'cover' } }],
	])('%s', async (_, fields, options) => {
		const { h, bodies } = await passing(options);
		const response = await h.generations(fields);
		expect(response.status).toBe(200);
		expect(await response.text()).not.toBe(answer);
		expect(bodies).toEqual([]);
	});
});

it.each<[string, Record<string, unknown>, string, HarnessOptions?]>([
	['what contradicts itself', { background: 'transparent', output_format: 'jpeg' }, 'background'],
	['what the model does not do', { background: 'transparent' }, 'background', { abilities: { transparency: false } }],
	['what is not allowed', { size: '10x10' }, 'size'],
])('%s does not reach an upstream', async (_, fields, param, options) => {
	const { h, bodies } = await passing(options);
	expect(await errorOf(await h.generations(fields))).toMatchObject({ status: 400, param });
	expect(bodies).toEqual([]);
});

it('a response that passes through counts as concurrent work until it has ended', async () => {
	const end = gate();
	const h = await harness({
		options: { maxRequests: 1 },
		forward: (raw) => request(raw, end.passed),
	});
	const first = await h.generations();
	expect(await errorOf(await h.generations())).toMatchObject({ status: 503 });
	end.open();
	expect(await first.text()).toBe(answer);
	expect((await h.generations()).status).toBe(200);
});

it('a passthrough that fails before its response is repeated as a translated request', async () => {
	const h = await harness({
		options: { maxRequests: 1 },
		forward: (raw) => ({ ...request(raw), accepts: () => false }),
	});
	expect([(await h.generations()).status, h.calls.length]).toEqual([200, 1]);
});
