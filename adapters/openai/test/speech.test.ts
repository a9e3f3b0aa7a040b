import { isPlinthError } from '@plinth/core';
import type { AudioFormat, EncodedAudio, PcmAudio, SpeechModel, SpeechRequest } from '@plinth/plugin-speech/model';
import { silentLogger } from '@plinth/testing';
import { describe, expect, test } from 'vitest';
import { openai } from '../src/index.ts';
import { type Cell, cellsOf } from './features.ts';
import { all, failureOf, modelOf } from './harness.ts';
import { rawBody } from './raw-body.ts';
import { bytes, cutAfter, failure, type Handler, json, scripted } from './upstream.ts';

/** A WAV file; `size` is the length in its header. */
function wav(samples: Buffer, { size = samples.length, bits = 16, channels = 1 } = {}): Buffer {
	const head = Buffer.alloc(58);
	head.write('RIFF\0\0\0\0WAVEfmt ', 'latin1');
	head.writeUInt32LE(16, 16);
	head.writeUInt16LE(1, 20);
	head.writeUInt16LE(channels, 22);
	head.writeUInt32LE(44_100, 24);
	head.writeUInt16LE(bits, 34);
	// A chunk of odd length, which is padded.
	head.write('LIST\x05\0\0\0abcde\0data', 36, 'latin1');
	head.writeUInt32LE(size, 54);
	return Buffer.concat([head, samples]);
}

const pcm = Buffer.from([1, 2, 3, 4, 5, 6]);
const samples: Readonly<Record<AudioFormat, Buffer>> = {
	mp3: Buffer.from('\xff\xfb\x90\x00 an mpeg frame', 'latin1'),
	opus: Buffer.from('OggS and so on'),
	aac: Buffer.from('\xff\xf1\x50\x80 an adts frame', 'latin1'),
	flac: Buffer.from('fLaC and so on'),
	wav: wav(pcm),
	pcm,
};

type Audio = PcmAudio | EncodedAudio;

function say(model: SpeechModel, part: Partial<SpeechRequest> = {}): Promise<Audio> {
	const request = { input: 'Hi.', voice: 'alloy', speed: 1, format: 'mp3', ...part } as const;
	return model.speak(request, { signal: new AbortController().signal, log: silentLogger() });
}

async function createSpeechModel(handler: Handler, options: object = {}) {
	const upstream = await scripted(handler);
	const model = await modelOf(openai.speech({ baseURL: upstream.baseURL, retries: 0, ...options }));
	return { upstream, model };
}

const whole = async (audio: Audio) => Buffer.concat(await all(audio.body));

/** Returns any requested format. */
const anyFormat: Handler = (request, res) =>
	bytes(samples[request.json.response_format as AudioFormat], 'application/octet-stream')(request, res);

describe('a feature', () => {
	test.each(cellsOf('speech'))('%s with %s: %s', async (feature, dialect, expected) => {
		const { upstream, model } = await createSpeechModel(anyFormat, { dialect });
		const name = feature.replaceAll('`', '');
		const isFormat = Object.hasOwn(samples, name);
		const part = isFormat ? { format: name as AudioFormat } : { speed: 2, instructions: 'Softly.' };
		const audio = await say(model, { format: 'wav', ...part });
		const sent = upstream.requests[0]?.json ?? {};
		const isSent = isFormat ? sent.response_format === name : sent[name] !== undefined;
		const isWarned = (audio.warnings ?? []).some((each) => each.startsWith(name));
		const cell: Cell = isWarned ? 'warning' : isSent ? 'yes' : 'here';
		expect(cell).toBe(expected);
		if (cell === 'here') expect(audio.mediaType).toBe('audio/pcm');
	});
});

describe('a custom voice', () => {
	test.each([
		['openai', { id: 'voice_1' }],
		['vllm-omni', 'voice_1'],
		['localai', 'voice_1'],
		['ollama', 'voice_1'],
	])('is sent to %s as %j', async (dialect, expected) => {
		const { upstream, model } = await createSpeechModel(anyFormat, { dialect });
		await say(model, { format: 'wav', voice: 'voice_1', isCustomVoice: true });
		expect(upstream.requests[0]?.json.voice).toEqual(expected);
	});

	test('passes through as the object of the client, unless the config lists other voices', async () => {
		const body = rawBody({ model: 'mine', input: 'Hi.', voice: { id: 'voice_1' }, response_format: 'wav' });
		const { model } = await createSpeechModel(anyFormat);
		expect(model.forward?.(body)).toBeDefined();
		const { model: listed } = await createSpeechModel(anyFormat, { voices: ['alloy'] });
		expect(listed.forward?.(body)).toBeUndefined();
	});
});

describe('audio', () => {
	test.each([
		['mp3', 'audio/mpeg'],
		['opus', 'audio/ogg'],
		['aac', 'audio/aac'],
		['flac', 'audio/flac'],
		['wav', 'audio/wav'],
	] as const)('in %s is returned unchanged, as %s', async (format, mediaType) => {
		const { model } = await createSpeechModel(anyFormat);
		const audio = await say(model, { format });
		expect(audio).toMatchObject({ format, mediaType });
		expect(await whole(audio)).toEqual(samples[format]);
	});

	test('as samples has the rate of the config, or the one in its media type', async () => {
		const { model } = await createSpeechModel(anyFormat, { sampleRate: 16_000 });
		const audio = await say(model, { format: 'pcm' });
		expect(audio).toMatchObject({ mediaType: 'audio/pcm', sampleRate: 16_000, channels: 1 });
		expect(await whole(audio)).toEqual(pcm);
		const named = await createSpeechModel(bytes(pcm, 'audio/pcm; rate=44100'));
		expect(await say(named.model, { format: 'pcm' })).toMatchObject({ sampleRate: 44_100 });
	});

	test('as samples is returned unchanged, for any chunking', async () => {
		const { model } = await createSpeechModel(cutInto(1, pcm));
		expect(await whole(await say(model, { format: 'pcm' }))).toEqual(pcm);
	});

	test('that is WAV against the request becomes samples, without the chunks after them', async () => {
		const { model } = await createSpeechModel(
			cutInto(7, Buffer.concat([wav(pcm, { channels: 2, size: 4 }), Buffer.from('LIST')])),
		);
		const audio = await say(model, { format: 'mp3' });
		expect(audio).toMatchObject({ mediaType: 'audio/pcm', sampleRate: 44_100, channels: 2 });
		expect(await whole(audio)).toEqual(pcm.subarray(0, 4));
	});

	test('that is WAV without a length becomes samples, so that its length is known', async () => {
		const { model } = await createSpeechModel(bytes(wav(pcm, { size: 0xffff_ffff }), 'audio/wav'));
		const audio = await say(model, { format: 'wav' });
		expect(audio).toMatchObject({ mediaType: 'audio/pcm', sampleRate: 44_100 });
		expect(await whole(audio)).toEqual(pcm);
	});

	test('is recognised by its bytes, not by the media type of the server', async () => {
		const { model } = await createSpeechModel(bytes(samples.flac, 'audio/mpeg'));
		expect(await say(model)).toMatchObject({ format: 'flac', mediaType: 'audio/flac' });
		const deep = await createSpeechModel(bytes(wav(pcm, { bits: 24 }), 'audio/mpeg'));
		expect(await say(deep.model)).toMatchObject({ format: 'wav' });
	});

	test('is streamed by vllm-omni when possible, at the requested speed', async () => {
		const { model, upstream } = await createSpeechModel(anyFormat, { dialect: 'vllm-omni' });
		for (const part of [{ format: 'wav' }, { format: 'wav', speed: 2 }, { format: 'mp3' }] as const) {
			await say(model, part);
		}
		expect(upstream.requests.map(({ json }) => json.stream_format)).toEqual(['audio', undefined, undefined]);
	});
});

describe('a failed response', () => {
	test.each<[string, Handler, AudioFormat]>([
		['JSON in place of audio', json({ audio: '' }), 'mp3'],
		['no audio', bytes('', 'audio/mpeg'), 'pcm'],
		['text instead of audio', bytes('<html>', 'audio/mpeg'), 'mp3'],
		['HTML instead of samples', bytes('<html>', 'text/html'), 'pcm'],
		['a JSON error instead of samples', bytes('{}', 'application/problem+json'), 'pcm'],
		['a damaged WAV file', bytes(wav(pcm).subarray(0, 30), 'audio/wav'), 'wav'],
	])('is an error when it is %s', async (_, handler, format) => {
		const { model } = await createSpeechModel(handler);
		expect(await failureOf(say(model, { format }))).toMatchObject({
			status: 502,
			code: 'model_error',
		});
	});

	test('in the middle of the stream is an error, not an end', async () => {
		const { model } = await createSpeechModel(cutAfter('audio/mpeg', samples.mp3));
		const audio = await say(model);
		expect(await failureOf(whole(audio))).toMatchObject({ status: 502, code: 'model_error' });
	});

	test('that names a parameter is an error of the client', async () => {
		const { model } = await createSpeechModel(failure(400, { message: 'unknown voice', param: 'voice' }));
		expect(await failureOf(say(model))).toMatchObject({ status: 400, param: 'voice' });
	});

	test('is predicted for a format that cannot be made, before a request is sent', async () => {
		const { model, upstream } = await createSpeechModel(anyFormat, { formats: ['mp3'] });
		const error = await say(model, { format: 'flac' }).catch((thrown: unknown) => thrown);
		expect(isPlinthError(error) && [error.spec.code, error.param]).toEqual(['unsupported_value', 'response_format']);
		expect(upstream.requests).toEqual([]);
	});
});

test('voices are those of the config, or any', async () => {
	const { model } = await createSpeechModel(anyFormat, { voices: ['ann'] });
	expect(model.voices?.()).toEqual(['ann']);
	expect((await createSpeechModel(anyFormat)).model.voices).toBeUndefined();
});

/** Sends a body in chunks of this length. */
function cutInto(length: number, body: Buffer): Handler {
	return async (_, res) => {
		res.writeHead(200, { 'content-type': 'audio/pcm' });
		for (let at = 0; at < body.length; at += length) {
			res.write(body.subarray(at, at + length));
			await new Promise((resolve) => setImmediate(resolve));
		}
		res.end();
	};
}
