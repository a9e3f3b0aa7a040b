import { audioEncoder } from '@plinth/audio';
import OpenAI from 'openai';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type RawClient, rawClient } from '../support/client.ts';
import { keyA, type Served, serveEmbedded } from '../support/serve.ts';
import { loudness, readSamples, readWav } from '../support/wav.ts';

const input = 'The tide comes in. The tide goes out again.';

let served: Served;
let client: RawClient;
const speak = (fields: Record<string, unknown> = {}) =>
	client.post('/v1/audio/speech', {
		model: 'builtin-speech',
		voice: 'nova',
		response_format: 'wav',
		input,
		...fields,
	});
const bytesOf = async (response: Response) => new Uint8Array(await response.arrayBuffer());

beforeAll(async () => {
	served = await serveEmbedded({ backends: { audio: audioEncoder() } });
	client = rawClient(served.url, keyA);
});

afterAll(() => served?.stop());

interface SpeechEvent {
	readonly type: string;
	readonly audio?: string;
	readonly usage?: Readonly<Record<string, number>>;
}

async function listen(format: string): Promise<{ response: Response; events: SpeechEvent[] }> {
	const response = await speak({ response_format: format, stream_format: 'sse' });
	const frames = (await response.text()).split('\n').filter((line) => line.startsWith('data: '));
	return { response, events: frames.map((line) => JSON.parse(line.slice(6)) as SpeechEvent) };
}

describe('wav', () => {
	test('has the exact lengths in its header', async () => {
		const response = await speak();
		const bytes = await bytesOf(response);
		const { riffBytes, dataBytes, samples } = readWav(bytes);
		expect(riffBytes).toBe(bytes.length - 8);
		expect(dataBytes).toBe(samples.length * 2);
	});

	test('has its content type and length', async () => {
		const response = await speak();
		const { length } = await bytesOf(response.clone());
		expect(response.headers.get('content-type')).toBe('audio/wav');
		expect(response.headers.get('content-length')).toBe(String(length));
	});

	test('is audible 16-bit mono', async () => {
		const { channels, bitsPerSample, samples, seconds } = readWav(await bytesOf(await speak()));
		expect({ channels, bitsPerSample }).toEqual({ channels: 1, bitsPerSample: 16 });
		expect(loudness(samples)).toBeGreaterThan(0.01);
		expect(seconds).toBeGreaterThan(1.5);
		expect(seconds).toBeLessThan(10);
	});

	test('is the same for the same request', async () => {
		const [first, second] = [await bytesOf(await speak()), await bytesOf(await speak())];
		expect(Buffer.compare(first, second)).toBe(0);
	});

	test('is shorter at a higher speed', async () => {
		const [slow, fast] = [await speak({ speed: 1 }), await speak({ speed: 2 })];
		const ratio = readWav(await bytesOf(slow)).seconds / readWav(await bytesOf(fast)).seconds;
		expect(ratio).toBeGreaterThan(1.7);
		expect(ratio).toBeLessThan(2.3);
	});

	test('differs from voice to voice', async () => {
		const voices = ['alloy', 'echo', 'nova', 'onyx', 'shimmer'];
		const spoken = await Promise.all(voices.map(async (voice) => bytesOf(await speak({ voice }))));
		const distinct = new Set(spoken.map((bytes) => Buffer.from(bytes).toString('base64')));
		expect(distinct.size).toBe(voices.length);
	});

	test('accepts the voice as an object with an id', async () => {
		const [text, object] = [await speak({ voice: 'echo' }), await speak({ voice: { id: 'echo' } })];
		expect(Buffer.compare(await bytesOf(text), await bytesOf(object))).toBe(0);
	});
});

describe('pcm', () => {
	test('is raw samples at 24 kHz, as long as the wav', async () => {
		const response = await speak({ response_format: 'pcm' });
		const samples = readSamples(await bytesOf(response));
		const { seconds } = readWav(await bytesOf(await speak()));
		expect(response.headers.get('content-type')).toBe('audio/pcm');
		expect(samples.length / 24_000).toBeCloseTo(seconds, 1);
		expect(loudness(samples)).toBeGreaterThan(0.01);
	});

	test('is streamed without a content length', async () => {
		const response = await speak({ response_format: 'pcm' });
		await response.body?.cancel();
		expect(response.headers.get('content-length')).toBeNull();
	});
});

describe('sse', () => {
	test('contains the same audio in chunks', async () => {
		const { response, events } = await listen('pcm');
		const pieces = events.filter(({ type }) => type === 'speech.audio.delta');
		const audio = Buffer.concat(pieces.map((piece) => Buffer.from(piece.audio ?? '', 'base64')));
		const plain = await bytesOf(await speak({ response_format: 'pcm' }));
		expect(response.headers.get('content-type')).toMatch(/^text\/event-stream/);
		expect(Buffer.compare(audio, plain)).toBe(0);
	});

	test('ends with the usage', async () => {
		const { events } = await listen('pcm');
		const { type, usage = {} } = events.at(-1) ?? { type: 'nothing' };
		expect(type).toBe('speech.audio.done');
		expect(usage.total_tokens).toBe((usage.input_tokens ?? 0) + (usage.output_tokens ?? 0));
	});
});

describe('an encoded format', () => {
	test.each([
		['mp3', 'audio/mpeg', /^fff3/],
		['opus', 'audio/ogg', /^4f676753/],
		['aac', 'audio/aac', /^fff/],
		['flac', 'audio/flac', /^664c6143/],
	])('is encoded and streamed: %s', async (format, mediaType, head) => {
		const response = await speak({ response_format: format });
		const { headers } = response;
		expect([headers.get('content-type'), headers.get('content-length')]).toEqual([mediaType, null]);
		expect(Buffer.from(await bytesOf(response)).toString('hex')).toMatch(head);
	});

	test('is mp3 by default, as long as the wav', async () => {
		const sdk = new OpenAI({ baseURL: `${served.url}/v1`, apiKey: keyA });
		const response = await sdk.audio.speech.create({
			model: 'builtin-speech',
			voice: 'nova',
			input,
		});
		expect(response.headers.get('content-type')).toBe('audio/mpeg');
		const bytesPerSecond = 8_000;
		const seconds = (await bytesOf(response)).length / bytesPerSecond;
		expect(seconds).toBeCloseTo(readWav(await bytesOf(await speak())).seconds, 0);
	});

	test('has the same bytes when streamed as events', async () => {
		const { events } = await listen('mp3');
		const audio = Buffer.concat(events.map((piece) => Buffer.from(piece.audio ?? '', 'base64')));
		const plain = await bytesOf(await speak({ response_format: 'mp3' }));
		expect(Buffer.compare(audio, plain)).toBe(0);
	});

	test('is not affected by a client that disconnected before its end', async () => {
		const long = await speak({ response_format: 'opus', input: `${input} `.repeat(60) });
		await long.body?.cancel();
		const next = await speak({ response_format: 'opus' });
		expect((await bytesOf(next)).length).toBeGreaterThan(5_000);
	});
});
