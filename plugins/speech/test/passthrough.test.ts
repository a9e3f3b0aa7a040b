import type { RawBody } from '@plinth/core';
import { answering, errorOf, forwardRequest } from '@plinth/testing';
import { describe, expect, it } from 'vitest';
import { type HarnessOptions, harness } from './harness.ts';

/** A forward request to an upstream that answers immediately. */
const request = (raw: RawBody) => forwardRequest(raw, { dispatcher: answering('their audio', 'audio/wav') });

async function passing(options: HarnessOptions = {}) {
	const bodies: RawBody[] = [];
	const forward = (raw: RawBody) => {
		bodies.push(raw);
		return request(raw);
	};
	return { h: await harness({ forward, ...options }), bodies };
}

describe('speech passes through', () => {
	it.each<[string, Record<string, unknown>, HarnessOptions?]>([
		['in a format that is named', {}],
		['at another speed, in another tone', { speed: 2, instructions: 'Whisper.' }],
		['in a voice that the model has', { voice: 'nova' }, { voices: ['nova'] }],
		['in a voice that is an object', { voice: { id: 'alloy' } }],
	])('%s', async (_, fields, options) => {
		const { h, bodies } = await passing(options);
		const response = await h.speak(fields);
		expect([response.status, await response.text()]).toEqual([200, 'their audio']);
		expect(response.headers.get('content-type')).toBe('audio/wav');
		expect([bodies.length, h.calls.length]).toEqual([1, 0]);
	});
});

describe('speech is translated', () => {
	it.each<[string, Record<string, unknown>, HarnessOptions?]>([
		['in the format of this server', { response_format: undefined }, { options: { defaultFormat: 'wav' } }],
		['as events', { stream_format: 'sse' }],
		['in a voice with more members than its id', { voice: { id: 'alloy', pitch: 1 } }],
		['with a member that is not known', { lang: 'en' }],
		['with null', { instructions: null }],
	])('%s', async (_, fields, options) => {
		const { h, bodies } = await passing(options);
		const response = await h.speak(fields);
		expect(response.status).toBe(200);
		expect(await response.text()).not.toBe('their audio');
		expect(bodies).toEqual([]);
	});

	it('when its passthrough fails before the response', async () => {
		const h = await harness({ forward: (raw) => ({ ...request(raw), accepts: () => false }) });
		expect([(await h.speak()).status, h.calls.length]).toEqual([200, 1]);
	});
});

it.each<[string, Record<string, unknown>, string]>([
	['a voice that the model lacks', { voice: 'alloy' }, 'voice'],
	['a custom voice that the model lacks', { voice: { id: 'alloy' } }, 'voice.id'],
	['a speed that is not allowed', { voice: 'nova', speed: 9 }, 'speed'],
])('%s does not reach an upstream', async (_, fields, param) => {
	const { h, bodies } = await passing({ voices: ['nova'] });
	expect(await errorOf(await h.speak(fields))).toMatchObject({ status: 400, param });
	expect(bodies).toEqual([]);
});
