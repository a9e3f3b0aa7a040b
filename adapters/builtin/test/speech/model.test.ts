import type { SpeechRequest } from '@plinth/plugin-speech/model';
import { createModel, silentLogger } from '@plinth/testing';
import { afterAll, describe, expect, it } from 'vitest';
import { builtinSpeech } from '../../src/speech/model.ts';
import { medianPitch } from './pitch.ts';

const openAiVoices = 'alloy ash ballad coral echo fable onyx nova sage shimmer verse marin cedar'.split(' ');
const sentence = 'The quick brown fox jumps over the lazy dog.';
const log = silentLogger();
const { model, close } = await createModel(builtinSpeech());

afterAll(close);

async function open(request: Partial<SpeechRequest>, signal = new AbortController().signal, speaker = model) {
	const whole = { input: sentence, voice: 'alloy', speed: 1, format: 'pcm' as const, ...request };
	const audio = await speaker.speak(whole, { signal, log });
	if (!('sampleRate' in audio)) throw new Error('The model returned encoded audio.');
	return audio;
}

async function speak(request: Partial<SpeechRequest>, speaker = model) {
	const audio = await open(request, undefined, speaker);
	const chunks: Uint8Array[] = [];
	for await (const chunk of audio.body) chunks.push(chunk);
	const pcm = Buffer.concat(chunks);
	return { ...audio, chunks, pcm, seconds: pcm.byteLength / 2 / audio.sampleRate };
}

const samples = new Map<string, ReturnType<typeof speak>>();

/** The sentence in each voice, synthesised once for all tests. */
function sample(voice: string) {
	const spoken = samples.get(voice) ?? speak({ voice });
	samples.set(voice, spoken);
	return spoken;
}

function loudness(pcm: Buffer): number {
	const samples = new Int16Array(new Uint8Array(pcm).buffer);
	return Math.sqrt(samples.reduce((sum, sample) => sum + sample * sample, 0) / samples.length);
}

describe('builtinSpeech', () => {
	it('speaks s16le mono', async () => {
		const spoken = await speak({});
		expect(spoken).toMatchObject({ mediaType: 'audio/pcm', channels: 1, warnings: [] });
		expect(spoken.pcm.byteLength % 2).toBe(0);
		expect(spoken.seconds).toBeGreaterThan(2);
		expect(spoken.seconds).toBeLessThan(4);
		expect(loudness(spoken.pcm)).toBeGreaterThan(1_500);
	});

	it('gives equal bytes for equal requests, whatever was spoken in between', async () => {
		const first = await speak({ voice: 'nova' });
		await Promise.all([speak({ voice: 'onyx', speed: 2 }), speak({ voice: 'kal16' })]);
		expect(Buffer.compare((await speak({ voice: 'nova' })).pcm, first.pcm)).toBe(0);
	});

	it('knows the OpenAI voices and those of flite', () => {
		expect(model.voices?.()).toEqual([...openAiVoices, 'kal', 'kal16', 'awb', 'rms', 'slt']);
	});

	it('has a different sound for each voice, at about the same volume', async () => {
		const spoken = await Promise.all((model.voices?.() ?? []).map(sample));
		const sounds = spoken.map(({ pcm, sampleRate }) => `${sampleRate} ${pcm.toString('base64')}`);
		expect(new Set(sounds).size).toBe(18);
		const levels = spoken.map(({ pcm }) => loudness(pcm));
		expect(Math.max(...levels) / Math.min(...levels)).toBeLessThan(1.8);
	});

	it.each([
		['onyx', 75, 95],
		['cedar', 88, 105],
		['echo', 98, 118],
		['ash', 98, 118],
		['alloy', 132, 150],
		['fable', 132, 158],
		['marin', 165, 188],
		['coral', 180, 202],
		['nova', 198, 222],
		['shimmer', 222, 248],
	])('speaks with %s at a pitch of %i to %i Hz', async (voice, low, high) => {
		const { pcm, sampleRate } = await sample(voice);
		const pitch = medianPitch(pcm, sampleRate);
		expect(pitch).toBeGreaterThan(low);
		expect(pitch).toBeLessThan(high);
	});

	it.each(['kal16', 'slt'])('speaks at the requested speed with %s', async (voice) => {
		const { seconds } = await sample(voice);
		for (const speed of [0.25, 0.5, 2, 4]) {
			const changed = await speak({ voice, speed });
			expect(Math.abs((changed.seconds * speed) / seconds - 1)).toBeLessThan(0.12);
		}
	});

	it('follows instructions and warns about those that it did not understand', async () => {
		const plain = await sample('ash');
		const slow = await speak({ voice: 'ash', instructions: 'Slowly, in a deep voice.' });
		expect(slow.seconds / plain.seconds).toBeCloseTo(1.25, 1);
		expect(medianPitch(slow.pcm, slow.sampleRate)).toBeLessThan(medianPitch(plain.pcm, plain.sampleRate) * 0.92);
		expect(slow.warnings).toEqual([]);
		const { warnings } = await open({ instructions: 'Whisper like a ghost', voice: 'onyx' });
		expect(warnings).toHaveLength(1);
	});

	it.each(['-voice kal', '--help me', '<speak>Hello</speak>', '-o /tmp/x hello', '%s%n%x hello'])(
		'speaks "%s" as text',
		async (input) => {
			expect((await speak({ input, voice: 'kal16' })).seconds).toBeGreaterThan(0.3);
		},
	);

	it.each<[string, Partial<SpeechRequest>, string]>([
		['another language', { input: 'Ich habe heute keine Zeit, aber wir sehen uns morgen.' }, 'input'],
		['another script', { input: 'Привет, мир' }, 'input'],
		['only emoji', { input: '😀 👋🏽' }, 'input'],
		['only punctuation', { input: '… !?' }, 'input'],
		['an unknown voice', { voice: 'nobody' }, 'voice'],
		['a voice named like a method', { voice: 'toString' }, 'voice'],
	])('rejects %s before the stream begins', async (_name, request, param) => {
		await expect(open(request)).rejects.toMatchObject({ code: 'E_VALUE_INVALID', param });
	});
});

describe('the stream', () => {
	const story = 'One. Two. Three. Four. Five.';

	it('has one chunk per sentence', async () => {
		expect((await speak({ input: story, voice: 'kal16' })).chunks).toHaveLength(5);
	});

	it('separates paragraphs by a longer pause than sentences', async () => {
		const one = await speak({ input: 'One. Two.', voice: 'kal16' });
		const two = await speak({ input: 'One.\n\nTwo.', voice: 'kal16' });
		expect(two.seconds - one.seconds).toBeCloseTo(0.37, 2);
	});

	it('has no clicks: each chunk begins and ends near silence', async () => {
		for (const voice of ['kal16', 'slt']) {
			const { chunks } = await speak({ input: story, voice });
			for (const chunk of chunks) {
				const samples = new Int16Array(chunk.slice().buffer);
				expect(Math.abs(samples[0] ?? 0)).toBeLessThan(60);
				expect(Math.abs(samples.at(-1) ?? 0)).toBeLessThan(60);
			}
		}
	});

	it('ends on an abort, even if the next sentence is ready', async () => {
		const controller = new AbortController();
		const { body } = await open({ input: story }, controller.signal);
		const reader = body[Symbol.asyncIterator]();
		await reader.next();
		const reason = new Error('The client disconnected.');
		controller.abort(reason);
		await expect(reader.next()).rejects.toBe(reason);
		await expect(open({}, controller.signal)).rejects.toBe(reason);
	});

	it('lets other requests run between two sentences', async () => {
		const long = speak({ input: `${sentence} `.repeat(8), voice: 'slt' });
		const short = speak({ input: 'Yes.', voice: 'kal16' });
		expect(await Promise.race([long.then(() => 'long'), short.then(() => 'short')])).toBe('short');
		await long;
	});

	it('accepts 4,096 characters', async () => {
		const input = `${sentence} `.repeat(100).slice(0, 4_096);
		const { seconds } = await speak({ input, voice: 'kal16' });
		expect(seconds).toBeGreaterThan(180);
	});

	it('ends when the reader stops', async () => {
		const { body } = await open({ input: story, voice: 'kal16' });
		const reader = body[Symbol.asyncIterator]();
		await reader.next();
		await reader.return?.();
		expect(await reader.next()).toEqual({ done: true, value: undefined });
	});
});

describe('a sentence that takes seconds', () => {
	const slow = { input: '7'.repeat(200), voice: 'slt', speed: 0.25 };

	it('fails after deadlineMs, and the next one works', async () => {
		const { model: hasty, close } = await createModel(builtinSpeech({ deadlineMs: 1_000 }));
		await expect(speak(slow, hasty)).rejects.toMatchObject({ code: 'E_MODEL_FAILED' });
		expect((await speak({ voice: 'kal16' }, hasty)).seconds).toBeGreaterThan(1);
		await close();
	});

	it('rejects immediately on an abort, and the next one works', async () => {
		const controller = new AbortController();
		const { body } = await open(slow, controller.signal);
		const chunk = body[Symbol.asyncIterator]().next();
		const reason = new Error('The client disconnected.');
		controller.abort(reason);
		await expect(chunk).rejects.toBe(reason);
		expect((await speak({ voice: 'kal16' })).seconds).toBeGreaterThan(1);
	});

	it('ends with E_STOPPING when the model stops', async () => {
		const { model: stopping, close } = await createModel(builtinSpeech());
		await speak({ input: 'Yes.' }, stopping);
		const spoken = expect(speak(slow, stopping)).rejects.toMatchObject({ code: 'E_STOPPING' });
		const { body } = await open(slow, undefined, stopping);
		const chunk = expect(body[Symbol.asyncIterator]().next()).rejects.toMatchObject({ code: 'E_STOPPING' });
		await close();
		await Promise.all([spoken, chunk]);
	});
});
