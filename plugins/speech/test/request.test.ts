import { plinthError } from '@plinth/core';
import { errorOf, type RequestOptions } from '@plinth/testing';
import { describe, expect, it } from 'vitest';
import { harness, silence } from './harness.ts';

describe('the request', () => {
	it('reaches the model in domain terms', async () => {
		const { speak, calls } = await harness();
		expect((await speak()).status).toBe(200);
		expect(calls[0]?.request).toStrictEqual({
			input: 'Hello there.',
			voice: 'alloy',
			speed: 1,
			format: 'wav',
		});
		const fields = { voice: { id: 'nova' }, speed: 0.25, instructions: 'whisper', extra: 1 };
		expect((await speak(fields)).status).toBe(200);
		expect(calls[1]?.request).toMatchObject({
			voice: 'nova',
			isCustomVoice: true,
			speed: 0.25,
			instructions: 'whisper',
		});
	});

	it('treats null as absent', async () => {
		const { speak, calls } = await harness();
		const unset = { speed: null, instructions: null, stream_format: null };
		expect((await speak(unset)).status).toBe(200);
		expect(calls[0]?.request).toMatchObject({ speed: 1 });
		expect(calls[0]?.request).not.toHaveProperty('instructions');
	});

	it('counts characters in code points', async () => {
		const { speak } = await harness();
		const input = '🐈'.repeat(4096);
		expect((await speak({ input, instructions: input })).status).toBe(200);
		for (const param of ['input', 'instructions']) {
			expect(await errorOf(await speak({ [param]: `${input}.` }))).toMatchObject({
				status: 400,
				code: 'string_above_max_length',
				param,
			});
		}
	});

	it.each([
		[{ model: undefined }, 'missing_required_parameter', 'model'],
		[{ voice: undefined }, 'missing_required_parameter', 'voice'],
		[{ input: undefined }, 'missing_required_parameter', 'input'],
		[{ input: '' }, 'string_below_min_length', 'input'],
		[{ input: 7 }, 'invalid_type', 'input'],
		[{ voice: 7 }, 'invalid_type', 'voice'],
		[{ voice: {} }, 'missing_required_parameter', 'voice.id'],
		[{ voice: '' }, 'string_below_min_length', 'voice'],
		[{ voice: { id: '' } }, 'string_below_min_length', 'voice.id'],
		[{ voice: null }, 'invalid_type', 'voice'],
		[{ voice: 'v'.repeat(257) }, 'string_above_max_length', 'voice'],
		[{ model: 'm'.repeat(257) }, 'string_above_max_length', 'model'],
		[{ response_format: 'ogg' }, 'invalid_value', 'response_format'],
		[{ stream_format: 'ws' }, 'invalid_value', 'stream_format'],
		[{ speed: '1' }, 'invalid_type', 'speed'],
		[{ speed: 0.2 }, 'decimal_below_min_value', 'speed'],
		[{ speed: 4.1 }, 'decimal_above_max_value', 'speed'],
	])('with %j is rejected', async (fields, code, param) => {
		const { speak, calls } = await harness();
		expect(await errorOf(await speak(fields))).toMatchObject({ status: 400, code, param });
		expect(calls).toHaveLength(0);
	});

	it('must name a model of this server', async () => {
		const { speak } = await harness();
		expect(await errorOf(await speak({ model: 'tts-9' }))).toMatchObject({
			status: 404,
			code: 'model_not_found',
			param: null,
		});
	});

	it('must name a voice of the model when the model lists them', async () => {
		const { speak } = await harness({ voices: ['nova', 'onyx'] });
		expect((await speak({ voice: 'onyx' })).status).toBe(200);
		const answer = await errorOf(await speak({ voice: 'alloy' }));
		expect(answer).toMatchObject({ status: 400, code: 'invalid_value', param: 'voice' });
		expect(answer.message).toContain('nova, onyx');
		expect(await errorOf(await speak({ voice: { id: 'alloy' } }))).toMatchObject({ status: 400, param: 'voice.id' });
	});

	it('requires the scope speech, a key, and JSON', async () => {
		const { speak, form } = await harness();
		const status = async (options: RequestOptions) => (await speak({}, options)).status;
		expect(await status({ key: null, headers: { authorization: 'Bearer alice.speech' } })).toBe(200);
		expect(await status({ key: null })).toBe(401);
		expect(await status({ key: 'nobody' })).toBe(401);
		expect(await status({ key: 'alice.videos:read' })).toBe(403);
		const multipart = await form('/v1/audio/speech', { model: 'fake-1' });
		expect(multipart.status).toBe(415);
	});
});

describe('a model that fails before the first byte', () => {
	it.each([1, 999, 22_050.5, 768_001, 4_000_000_001])('is named when it states %d samples per second', async (rate) => {
		const { speak } = await harness({ speak: async () => silence({ sampleRate: rate }) });
		expect(await errorOf(await speak())).toMatchObject({
			status: 502,
			code: 'model_error',
			message: `The model returned ${rate} samples per second.`,
		});
	});

	it('has its own error status', async () => {
		const message = 'Only English.';
		const { speak } = await harness({
			speak: () => Promise.reject(plinthError('E_VALUE_UNSUPPORTED', { param: 'input', message })),
		});
		expect(await errorOf(await speak())).toEqual({
			status: 400,
			type: 'invalid_request_error',
			code: 'unsupported_value',
			param: 'input',
			message,
		});
	});

	it.each(['wav', 'pcm'])('has the text of an unexpected error only in the log (%s)', async (format) => {
		async function* broken(): AsyncGenerator<Uint8Array> {
			yield* [];
			throw new Error('secret path');
		}
		const { speak } = await harness({ speak: async () => silence({ body: broken() }) });
		const answer = await errorOf(await speak({ response_format: format }));
		expect(answer).toMatchObject({ status: 502, code: 'model_error', param: null });
		expect(answer.message).not.toContain('secret');
	});

	it.each(['wav', 'pcm'])('is distinguished from a model that returns no audio (%s)', async (format) => {
		async function* nothing(): AsyncGenerator<Uint8Array> {
			yield new Uint8Array();
		}
		const { speak } = await harness({ speak: async () => silence({ body: nothing() }) });
		const answer = await errorOf(await speak({ response_format: format }));
		expect(answer).toMatchObject({ status: 502, code: 'model_error' });
		expect(answer.message).toContain('no audio');
	});
});
