import { join } from 'node:path';
import type { TranscriptionModel, TranscriptionRequest } from '@plinth/plugin-transcription/model';
import { sherpaOnnx } from '@plinth/sherpa-onnx';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import {
	writeBrokenWhisper,
	writeMoonshine,
	writeSenseVoice,
	writeWhisper,
} from '../../../adapters/sherpa-onnx/test/tiny/recognizers.ts';
import { audioOf, createHarness, type Harness, recording, transcriptionRequest, transcriptionRun } from './harness.ts';
import { childrenOf, residentBytes } from './processes.ts';

let harness: Harness;
let senseVoice: TranscriptionModel;
let whisper: TranscriptionModel;

beforeAll(async () => {
	harness = await createHarness();
	await writeSenseVoice(join(harness.dir, 'sense-voice'));
	await writeWhisper(join(harness.dir, 'whisper'));
	senseVoice = await make('sense-voice');
	whisper = await make('whisper');
});

afterAll(() => harness.remove());

function make(family: 'sense-voice' | 'whisper' | 'moonshine') {
	return harness.make(sherpaOnnx.transcription, { folder: join(harness.dir, family), family, threads: 1 });
}

/** Two sounds: from second 1 to 2 and from second 4 to 5. */
const short = recording(6, [
	[1, 2],
	[4, 5],
]);

function transcribe(model: TranscriptionModel, samples: Float32Array, changes: Partial<TranscriptionRequest> = {}) {
	return model.transcribe(transcriptionRequest(samples, changes), transcriptionRun().run);
}

describe('SenseVoice', () => {
	test('returns the text with the language, the length and the times of words', async () => {
		const heard = await transcribe(senseVoice, short, { timestamps: ['word', 'segment'] });
		expect(heard).toMatchObject({ text: 'hello hello', language: 'en', seconds: 6, warnings: [] });
		expect(heard.segments).toEqual([{ start: 0, end: 6, text: 'hello hello' }]);
		expect(heard.words?.map(({ word }) => word)).toEqual(['hello', 'hello']);
		const [first, second] = heard.words ?? [];
		expect(first?.start).toBeCloseTo(1, 0);
		expect(second?.start).toBeCloseTo(4, 0);
		expect(first?.end).toBeLessThanOrEqual(second?.start ?? 0);
	});

	test('accepts a language, and refuses an unknown one', async () => {
		expect(senseVoice.abilities).toEqual({
			languages: ['zh', 'en', 'ja', 'ko'],
			translate: false,
			segments: true,
			words: true,
		});
		const model = await make('sense-voice');
		expect(await transcribe(model, short, { language: 'ja' })).toMatchObject({ language: 'ja' });
		expect(await transcribe(model, short)).toMatchObject({ language: 'en' });
		const refused = transcribe(model, short, { language: 'de' });
		await expect(refused).rejects.toMatchObject({ code: 'E_VALUE_INVALID', param: 'language' });
	});

	test('cuts long audio in silence, so that no sound is transcribed twice or split', async () => {
		// A sound of one second every two seconds, so that the middle of each silence is known.
		const sounds = Array.from({ length: 45 }, (_, at) => [2 * at + 1, 2 * at + 2] as const);
		const { run, deltas } = transcriptionRun();
		const request = transcriptionRequest(recording(91, sounds), { timestamps: ['word', 'segment'] });
		const heard = await senseVoice.transcribe(request, run);
		expect(heard.text).toBe(Array(45).fill('hello').join(' '));
		expect(heard.words).toHaveLength(45);
		for (const [at, { start }] of heard.words?.entries() ?? []) expect(start).toBeCloseTo(2 * at + 1, 0);
		expect(heard.segments?.length).toBeGreaterThanOrEqual(4);
		for (const { start, end } of heard.segments ?? []) expect(end - start).toBeLessThanOrEqual(28);
		expect(deltas).toHaveLength(heard.segments?.length ?? 0);
		expect(deltas.join('')).toBe(heard.text);
		expect(heard.seconds).toBe(91);
	});

	test('returns no text for silence, for a few samples and for none', async () => {
		expect(await transcribe(senseVoice, recording(3, []))).toMatchObject({ text: '', seconds: 3 });
		expect(await transcribe(senseVoice, recording(0.01, [[0, 0.01]]))).toMatchObject({ seconds: 0.01 });
		const none = await transcribe(senseVoice, recording(0, []), { timestamps: ['segment'] });
		expect(none).toEqual({ text: '', seconds: 0, segments: [], warnings: [] });
	});

	test('holds one window of the audio at a time', async () => {
		let read = 0;
		const { run, deltas } = transcriptionRun();
		const seen: number[] = [];
		const audio = {
			...audioOf(short),
			async *samples() {
				for (; read < 120; read += 0.5) {
					if (deltas.length > seen.length) seen.push(read);
					yield recording(0.5, [[0.2, 0.4]]);
				}
			},
		};
		await senseVoice.transcribe({ audio, task: 'transcribe', timestamps: [] }, run);
		// After each window at most the next one has been read.
		expect(seen.length).toBeGreaterThanOrEqual(4);
		for (const [at, seconds] of seen.entries()) expect(seconds).toBeLessThanOrEqual((at + 1) * 28 + 1);
	});

	test('an abort takes effect between the windows, and during silence', async () => {
		const reason = new Error('The client has disconnected.');
		const stop = new AbortController();
		const { run, deltas } = transcriptionRun(stop.signal);
		const endless = {
			...audioOf(short),
			async *samples() {
				for (;;) {
					yield short;
					if (deltas.length > 0) stop.abort(reason);
				}
			},
		};
		const request = { audio: endless, task: 'transcribe', timestamps: [] } as const;
		await expect(senseVoice.transcribe(request, run)).rejects.toBe(reason);
		const silent = { ...endless, samples: () => ({ [Symbol.asyncIterator]: () => ({ next: () => waits() }) }) };
		const again = new AbortController();
		const waits = () => {
			again.abort(reason);
			return new Promise<never>(() => {});
		};
		const waiting = senseVoice.transcribe({ ...request, audio: silent }, transcriptionRun(again.signal).run);
		await expect(waiting).rejects.toBe(reason);
		expect(await transcribe(senseVoice, short)).toMatchObject({ text: 'hello hello' });
	});

	test('each request ends with text or an error during 50 kills of the process', async () => {
		const own = await make('sense-voice');
		const others = childrenOf(process.pid);
		for (let round = 0; round < 50; round++) {
			const request = transcribe(own, short);
			await Promise.resolve();
			if (round % 3 === 1) await transcribe(own, short);
			if (round % 3 === 2) await request;
			for (const pid of childrenOf(process.pid)) if (!others.includes(pid)) process.kill(pid, 'SIGKILL');
			const heard = await request.catch((error) => error);
			if (heard instanceof Error) expect(heard).toMatchObject({ code: 'E_MODEL_FAILED' });
			else expect(heard).toMatchObject({ text: 'hello hello' });
		}
		expect(await transcribe(own, short)).toMatchObject({ text: 'hello hello' });
		const [pid = 0, ...more] = childrenOf(process.pid).filter((child) => !others.includes(child));
		expect(more).toEqual([]);
		await own.unload?.();
		expect(residentBytes(pid)).toBe(0);
	});
});

describe('Whisper', () => {
	test('detects the language, or uses the given one', async () => {
		expect(whisper.abilities).toEqual({ languages: ['en', 'de'], translate: true, segments: true, words: false });
		expect(await transcribe(whisper, short)).toMatchObject({ text: 'hallo freund', language: 'de' });
		const english = await transcribe(whisper, short, { language: 'en', timestamps: ['segment'] });
		expect(english).toMatchObject({ text: 'hello friend', language: 'en', segments: [{ start: 0, end: 6 }] });
		await expect(transcribe(whisper, short, { language: 'fr' })).rejects.toMatchObject({ param: 'language' });
	});

	test('translates, and transcribes again after that', async () => {
		expect(await transcribe(whisper, short, { task: 'translate' })).toMatchObject({ text: 'hello friend' });
		expect(await transcribe(whisper, short)).toMatchObject({ text: 'hallo freund' });
	});

	test('an English-only model does not translate', async () => {
		const folder = join(harness.dir, 'english');
		await writeWhisper(folder, { is_multilingual: 0 });
		const model = await harness.make(sherpaOnnx.transcription, { folder, family: 'whisper' });
		expect(model.abilities).toMatchObject({ languages: ['en'], translate: false });
	});

	test('has a text for each window, joined by spaces', async () => {
		const { run, deltas } = transcriptionRun();
		const heard = await whisper.transcribe(transcriptionRequest(recording(60, [[0, 60]])), run);
		expect(deltas).toEqual(['hallo freund', ' hallo freund', ' hallo freund']);
		expect(heard.text).toBe(deltas.join(''));
	});

	test('warns that it ignores a prompt and a temperature', async () => {
		const { warnings } = await transcribe(whisper, short, { prompt: 'Names: Ada.', temperature: 0.4 });
		expect(warnings).toEqual(['This model ignores the prompt.', 'This model ignores the temperature.']);
	});
});

describe('Moonshine', () => {
	test('returns the text', async () => {
		await writeMoonshine(join(harness.dir, 'moonshine'));
		const model = await make('moonshine');
		expect(model.abilities).toEqual({ translate: false, segments: true, words: false });
		const heard = await transcribe(model, short, { timestamps: ['segment'] });
		expect(heard).toEqual({
			text: 'good day',
			seconds: 6,
			segments: [{ start: 0, end: 6, text: 'good day' }],
			warnings: [],
		});
	});
});

test('an exception that the engine hides is an error, not an empty text', async () => {
	const folder = join(harness.dir, 'broken');
	await writeBrokenWhisper(folder);
	const model = await harness.make(sherpaOnnx.transcription, { folder, family: 'whisper' });
	await expect(transcribe(model, short)).rejects.toMatchObject({ code: 'E_MODEL_FAILED' });
});
