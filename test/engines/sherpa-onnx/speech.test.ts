import { join } from 'node:path';
import type { PcmAudio, SpeechModel, SpeechRequest } from '@plinth/plugin-speech/model';
import { speechModelSuite } from '@plinth/plugin-speech/testing';
import { sherpaOnnx } from '@plinth/sherpa-onnx';
import { silentLogger } from '@plinth/testing';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { sampleRate, samplesPerToken, writeVits } from '../../../adapters/sherpa-onnx/test/tiny/voices.ts';
import { createHarness, type Harness } from './harness.ts';
import { installedTests } from './installed.ts';
import { childrenOf, residentBytes } from './processes.ts';

let harness: Harness;
let model: SpeechModel;

beforeAll(async () => {
	harness = await createHarness();
	await writeVits(join(harness.dir, 'tiny'));
	model = await makeVoice();
});

afterAll(() => harness.remove());

function makeVoice() {
	return harness.make(sherpaOnnx.speech, { folder: join(harness.dir, 'tiny'), family: 'vits', threads: 1 });
}

async function open(changes: Partial<SpeechRequest> = {}, signal = new AbortController().signal, from = model) {
	const request: SpeechRequest = { input: 'abc', voice: '0', speed: 1, format: 'pcm', ...changes };
	return (await from.speak(request, { signal, log: silentLogger() })) as PcmAudio;
}

async function samplesOf(changes: Partial<SpeechRequest> = {}, from = model): Promise<Int16Array> {
	const { body } = await open(changes, undefined, from);
	const pieces: Uint8Array[] = [];
	for await (const piece of body) pieces.push(piece);
	const bytes = Buffer.concat(pieces);
	return new Int16Array(bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.byteLength));
}

describe('a sherpa-onnx voice', () => {
	test('returns samples with the length and rate of its model', async () => {
		expect(await open()).toMatchObject({ mediaType: 'audio/pcm', channels: 1, sampleRate });
		const samples = await samplesOf();
		expect(samples).toHaveLength(3 * samplesPerToken);
		expect(samples[0]).toBe(0);
		expect(Math.max(...samples)).toBeCloseTo(0.5 * 32_767, -2);
	});

	test('speaks faster and slower', async () => {
		expect(await samplesOf({ speed: 2 })).toHaveLength((3 * samplesPerToken) / 2);
		expect(await samplesOf({ speed: 0.5 })).toHaveLength(3 * samplesPerToken * 2);
	});

	test('has a pitch for each speaker', async () => {
		expect(model.voices?.()).toEqual(['0', '1', '2']);
		const crossings = async (voice: string) => {
			const samples = await samplesOf({ voice });
			return samples.filter((sample, at) => at > 0 && sample >= 0 !== (samples[at - 1] ?? 0) >= 0).length;
		};
		const [low, high] = [await crossings('0'), await crossings('2')];
		expect(high / low).toBeCloseTo(3, 0);
	});

	test('refuses a voice that it does not have', async () => {
		for (const voice of ['nobody', '3', '-1', '']) {
			await expect(open({ voice })).rejects.toMatchObject({ code: 'E_VALUE_INVALID', param: 'voice' });
		}
		await expect(open({ isCustomVoice: true })).rejects.toMatchObject({ param: 'voice' });
	});

	test('generates each sentence on demand, and none ahead', async () => {
		const { body } = await open({ input: 'First one. Then two. The third.' });
		const pieces: number[] = [];
		for await (const piece of body) pieces.push(piece.byteLength / 2 / samplesPerToken);
		expect(pieces).toEqual([10, 9, 10]);
	});

	test('refuses a text without speakable characters, and stays usable', async () => {
		for (const input of ['🦊 …', '你好', ' ']) {
			await expect(open({ input })).rejects.toMatchObject({ code: 'E_VALUE_INVALID', param: 'input' });
		}
		expect(await samplesOf()).toHaveLength(3 * samplesPerToken);
	});

	test('warns that it ignores instructions', async () => {
		expect((await open({ instructions: 'Whisper.' })).warnings).toEqual(['This model ignores instructions.']);
	});

	test('has one process, which ends when the model is unloaded and starts again on demand', async () => {
		const own = await makeVoice();
		const others = childrenOf(process.pid);
		await samplesOf({}, own);
		const [pid = 0, ...more] = childrenOf(process.pid).filter((child) => !others.includes(child));
		expect(more).toEqual([]);
		expect(residentBytes(pid)).toBeGreaterThan(20_000_000);
		await own.unload?.();
		expect(childrenOf(process.pid)).not.toContain(pid);
		expect(residentBytes(pid)).toBe(0);
		expect(await samplesOf({}, own)).toHaveLength(3 * samplesPerToken);
	});

	test('a native abort ends the request with an error, and the next one starts a new process', async () => {
		// This comment makes the engine pass three inputs to a graph of six, which throws an exception that it does not
		// catch.
		const folder = join(harness.dir, 'broken');
		await writeVits(folder, { comment: 'coqui' });
		const broken = await harness.make(sherpaOnnx.speech, { folder, family: 'vits', threads: 1 });
		const request = () => open({}, undefined, broken);
		const error = await request().catch((reason) => reason);
		expect(error).toMatchObject({ code: 'E_MODEL_FAILED' });
		expect(error.cause.message).toContain('Got invalid dimensions for input');
		await writeVits(folder);
		expect(await samplesOf({}, broken)).toHaveLength(3 * samplesPerToken);
	});

	test('each request ends with audio or an error during 50 kills of the process', async () => {
		const own = await makeVoice();
		const others = childrenOf(process.pid);
		const outcomes = { audio: 0, error: 0 };
		for (let round = 0; round < 50; round++) {
			const request = samplesOf({ input: 'First one. Then two. The third.' }, own);
			await Promise.resolve();
			// At its start, during its work, and while it is idle.
			if (round % 3 === 1) await samplesOf({}, own);
			if (round % 3 === 2) await request;
			for (const pid of childrenOf(process.pid)) if (!others.includes(pid)) process.kill(pid, 'SIGKILL');
			const samples = await request.catch((error) => error);
			if (samples instanceof Int16Array) expect(samples).toHaveLength(29 * samplesPerToken);
			else expect(samples).toMatchObject({ code: 'E_MODEL_FAILED' });
			outcomes[samples instanceof Int16Array ? 'audio' : 'error']++;
		}
		expect(outcomes.audio + outcomes.error).toBe(50);
		expect(await samplesOf({}, own)).toHaveLength(3 * samplesPerToken);
		expect(childrenOf(process.pid).filter((pid) => !others.includes(pid))).toHaveLength(1);
	});
});

describe('a sherpa-onnx voice passes the conformance suite of speech models', () => {
	for (const { name, run } of speechModelSuite({
		create: async () => ({ model, close: async () => {} }),
		supports: { deterministic: true, speed: true },
	})) {
		test(name, run, 60_000);
	}
});

installedTests();
