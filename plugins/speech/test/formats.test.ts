import { modelError } from '@plinth/core';
import { errorOf, jsonOf } from '@plinth/testing';
import { describe, expect, it } from 'vitest';
import type { AudioFormat, SpeechModel } from '../src/model.ts';
import { fakeEncoder, type Harness, harness, pcm, samples, silence, streamOf } from './harness.ts';

async function bytesOf(response: Response): Promise<Buffer> {
	expect(response.status).toBe(200);
	return Buffer.from(await response.arrayBuffer());
}

/** The next bytes; the header of a response may come with an empty chunk. */
async function nextOf(reader: ReadableStreamDefaultReader<Uint8Array>): Promise<Buffer | undefined> {
	for (;;) {
		const { done, value } = await reader.read();
		if (done) return undefined;
		if (value.length > 0) return Buffer.from(value);
	}
}

async function* failing(): AsyncGenerator<Uint8Array> {
	yield* [];
	throw new Error('a secret');
}

async function* thenSilent(): AsyncGenerator<Uint8Array> {
	yield samples(1);
	await new Promise(() => {});
}

describe('wav', () => {
	it('has exact lengths in its header and in Content-Length', async () => {
		const { speak } = await harness();
		const response = await speak();
		expect(response.headers.get('content-type')).toBe('audio/wav');
		expect(response.headers.get('content-length')).toBe(String(44 + 48_000));
		const wav = await bytesOf(response);
		expect(wav).toHaveLength(44 + 48_000);
		expect(wav.toString('latin1', 0, 4)).toBe('RIFF');
		expect(wav.readUInt32LE(4)).toBe(wav.length - 8);
		expect(wav.toString('latin1', 8, 16)).toBe('WAVEfmt ');
		expect(wav.readUInt32LE(40)).toBe(48_000);
	});

	it('is 24 kHz mono like pcm, whatever the model makes, because players may not support other rates', async () => {
		const { speak } = await harness({
			speak: async () => silence({ sampleRate: 14_400, channels: 2 }),
		});
		const wav = await bytesOf(await speak());
		const fields = [wav.readUInt16LE(22), wav.readUInt32LE(24), wav.readUInt32LE(28)];
		expect(fields).toEqual([1, 24_000, 48_000]);
		expect(wav.subarray(44)).toEqual(await bytesOf(await speak({ response_format: 'pcm' })));
	});
});

describe('pcm', () => {
	it('is 24 kHz mono without a header', async () => {
		const { speak } = await harness({ speak: async () => pcm([samples(1, 2), samples(3)]) });
		const response = await speak({ response_format: 'pcm' });
		expect(response.headers.get('content-type')).toBe('audio/pcm');
		expect(await bytesOf(response)).toEqual(samples(1, 2, 3));
	});

	it('is converted from other rates and stereo', async () => {
		const second = Buffer.alloc(48_000 * 2 * 2);
		const { speak } = await harness({
			speak: async () => pcm([second], { sampleRate: 48_000, channels: 2 }),
		});
		expect(await bytesOf(await speak({ response_format: 'pcm' }))).toHaveLength(24_000 * 2);
	});

	it('is sent while it is generated', async () => {
		const { promise: asked, resolve: ask } = Promise.withResolvers<void>();
		async function* slowly(): AsyncGenerator<Uint8Array> {
			yield samples(1);
			await asked;
			yield samples(2);
		}
		const { speak } = await harness({ speak: async () => pcm([], { body: slowly() }) });
		const response = await speak({ response_format: 'pcm' });
		const reader = (response.body as ReadableStream<Uint8Array>).getReader();
		expect(await nextOf(reader)).toEqual(samples(1));
		ask();
		expect(await nextOf(reader)).toEqual(samples(2));
		expect(await nextOf(reader)).toBeUndefined();
	});
});

describe('formats that need an encoder', () => {
	it('are encoded, and have the media type of the encoder', async () => {
		const { speak } = await harness({
			encoder: fakeEncoder('mp3', 'flac'),
			speak: async () => pcm([samples(1)]),
		});
		const response = await speak({ response_format: 'flac' });
		expect(response.headers.get('content-type')).toBe('audio/x-fake-flac');
		expect(await bytesOf(response)).toEqual(Buffer.concat([Buffer.from('flac:'), samples(1)]));
	});

	it('are encoded from 24 kHz mono, whatever the model makes', async () => {
		const fake = fakeEncoder('flac');
		const given: unknown[] = [];
		const { speak } = await harness({
			encoder: {
				...fake,
				encode: (audio, ...rest) => {
					given.push([audio.sampleRate, audio.channels]);
					return fake.encode(audio, ...rest);
				},
			},
			speak: async () => pcm([Buffer.alloc(14_400 * 4)], { sampleRate: 14_400, channels: 2 }),
		});
		const encoded = await bytesOf(await speak({ response_format: 'flac' }));
		expect(given).toEqual([[24_000, 1]]);
		expect(encoded).toHaveLength('flac:'.length + 48_000);
	});

	it('are sent while they are encoded', async () => {
		const { promise: asked, resolve: ask } = Promise.withResolvers<void>();
		async function* slowly(): AsyncGenerator<Uint8Array> {
			yield samples(1);
			await asked;
			yield samples(2);
		}
		const { speak } = await harness({
			encoder: fakeEncoder('mp3'),
			speak: async () => pcm([], { body: slowly() }),
		});
		const response = await speak({ response_format: 'mp3' });
		expect(response.headers.get('content-length')).toBeNull();
		const reader = (response.body as ReadableStream<Uint8Array>).getReader();
		expect(await nextOf(reader)).toEqual(Buffer.from('mp3:'));
		expect(await nextOf(reader)).toEqual(samples(1));
		ask();
		expect(await nextOf(reader)).toEqual(samples(2));
		expect(await nextOf(reader)).toBeUndefined();
	});

	it('can be streamed as events', async () => {
		const { speak } = await harness({
			encoder: fakeEncoder('mp3'),
			speak: async () => pcm([samples(1, 2)]),
		});
		const response = await speak({ response_format: 'mp3', stream_format: 'sse' });
		const pieces = (await bytesOf(response)).toString().matchAll(/"audio":"([^"]+)"/g);
		const audio = [...pieces].map(([, piece = '']) => Buffer.from(piece, 'base64'));
		expect(Buffer.concat(audio)).toEqual(Buffer.concat([Buffer.from('mp3:'), samples(1, 2)]));
	});

	it('are an error for an empty source: a header alone is not audio', async () => {
		const { speak } = await harness({ encoder: fakeEncoder('mp3'), speak: async () => pcm([]) });
		const answer = await errorOf(await speak({ response_format: 'mp3' }));
		expect(answer).toMatchObject({ status: 502, code: 'model_error' });
		expect(answer.message).toContain('no audio');
	});

	it.each([
		['before it begins', async () => Promise.reject(new Error('a secret'))],
		['before the first byte', async () => ({ mediaType: 'audio/mpeg', format: 'mp3', body: failing() }) as const],
		['by making another one', async () => ({ mediaType: 'audio/aac', format: 'aac', body: streamOf([]) }) as const],
	])('fail with an error status when the encoder fails %s', async (_, encode) => {
		const { speak, calls } = await harness({ encoder: { formats: ['mp3'], encode } });
		const answer = await errorOf(await speak({ response_format: 'mp3' }));
		expect(answer).toMatchObject({ status: 502, code: 'model_error' });
		expect(answer.message).not.toContain('secret');
		expect(calls[0]?.run.signal.aborted).toBe(true);
	});

	it('stop the encoder and the model when the client disconnects', async () => {
		const { promise: stopped, resolve: stop } = Promise.withResolvers<void>();
		const { speak, calls } = await harness({
			encoder: {
				formats: ['mp3'],
				encode: async (_audio, format, signal) => {
					signal.addEventListener('abort', () => stop());
					return { mediaType: 'audio/mpeg', format, body: thenSilent() };
				},
			},
		});
		const response = await speak({ response_format: 'mp3' });
		await response.body?.cancel();
		await stopped;
		expect(calls[0]?.run.signal.aborted).toBe(true);
	});

	it('include the default, mp3', async () => {
		const { speak, calls } = await harness({ encoder: fakeEncoder('mp3') });
		const response = await speak({ response_format: undefined });
		expect(response.headers.get('content-type')).toBe('audio/x-fake-mp3');
		expect(calls[0]?.request.format).toBe('mp3');
	});

	it.each([
		[undefined, 'mp3', 'wav, pcm'],
		['mp3', 'mp3', 'wav, pcm'],
		['opus', 'opus', 'wav, pcm'],
	])('are rejected without an encoder: %s', async (asked, format, working) => {
		const { speak, calls } = await harness();
		const answer = await errorOf(await speak({ response_format: asked }));
		expect(answer).toMatchObject({
			status: 400,
			code: 'unsupported_value',
			param: 'response_format',
		});
		expect(answer.message).toContain(`${format} is not available`);
		expect(answer.message).toContain(working);
		expect(answer.message).toContain('audio encoder');
		expect(calls[0]?.run.signal.aborted).toBe(true);
	});

	it('are rejected when the encoder does not support them, with a list of supported formats', async () => {
		const { speak } = await harness({ encoder: fakeEncoder('aac') });
		const answer = await errorOf(await speak({ response_format: 'opus' }));
		expect(answer).toMatchObject({ status: 400, code: 'unsupported_value' });
		expect(answer.message).toContain('aac, wav, pcm');
	});

	it('can have another default', async () => {
		const { speak } = await harness({ options: { defaultFormat: 'wav' } });
		const response = await speak({ response_format: undefined });
		expect(response.headers.get('content-type')).toBe('audio/wav');
	});
});

describe('a model that returns encoded audio', () => {
	const encoded = (): Promise<Harness> =>
		harness({
			speak: async () => ({
				mediaType: 'audio/ogg',
				format: 'opus',
				body: streamOf([Buffer.from('OggS')]),
			}),
		});

	it('is passed through in the requested format', async () => {
		const { speak } = await encoded();
		const response = await speak({ response_format: 'opus' });
		expect(response.headers.get('content-type')).toBe('audio/ogg');
		expect((await bytesOf(response)).toString()).toBe('OggS');
	});

	it('is rejected when its format is another one', async () => {
		const { speak } = await encoded();
		for (const format of ['wav', 'pcm', 'mp3']) {
			expect(await errorOf(await speak({ response_format: format }))).toMatchObject({
				status: 400,
				code: 'unsupported_value',
				param: 'response_format',
			});
		}
	});
});

describe('a model that declares its formats', () => {
	const model = (formats: readonly AudioFormat[]): SpeechModel => ({
		apiVersion: 1,
		abilities: { formats },
		speak: async () => silence(),
	});
	const others = { opus: model(['opus']), samples: model(['pcm']) };

	it.each([
		['opus', 'wav', 'opus'],
		['samples', 'mp3', 'aac, wav, pcm'],
	])('%s is not called for %s, and the error lists the supported formats', async (id, response_format, working) => {
		const { speak } = await harness({ others, encoder: fakeEncoder('aac') });
		const answer = await errorOf(await speak({ model: id, response_format }));
		expect(answer).toMatchObject({ status: 400, code: 'unsupported_value', param: 'response_format' });
		expect(answer.message).toContain(`Ask for one of ${working},`);
		expect(answer.message).not.toContain('no audio');
	});

	it('is listed with its formats and those of the encoder', async () => {
		const { get } = await harness({ others, encoder: fakeEncoder('aac') });
		const factsOf = async (id: string) => await jsonOf(await get(`/v1/models/${id}`));
		expect(await factsOf('opus')).toMatchObject({ capabilities: { formats: ['opus'] } });
		expect(await factsOf('samples')).toMatchObject({ capabilities: { formats: ['aac', 'wav', 'pcm'] } });
		expect(await factsOf('fake-1')).not.toHaveProperty('capabilities.formats');
	});

	it('is no fallback for another format', async () => {
		const failing = () => Promise.reject(modelError('The GPU is gone.'));
		const { speak } = await harness({ speak: failing, others, binding: { fallback: ['opus'] } });
		expect(await errorOf(await speak())).toMatchObject({ status: 502, code: 'model_error' });
	});
});
