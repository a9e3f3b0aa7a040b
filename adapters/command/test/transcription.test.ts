import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { AudioFile, TranscriptionModel, TranscriptionRequest } from '@plinth/plugin-transcription/model';
import { transcriptionModelSuite } from '@plinth/plugin-transcription/testing';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { readWav } from '../../../test/support/wav.ts';
import { command } from '../src/index.ts';
import { createHarness, type Harness, quiet, shell } from './harness.ts';

let harness: Harness;
/** The model has no state between requests. */
let sharedModel: Promise<TranscriptionModel>;

const printLines = (...messages: object[]) => messages.map((message) => `echo '${JSON.stringify(message)}'`).join('; ');

/** A scripted program that returns the same two words for each file. */
const scriptedProgram = `
read request
[ -s audio.wav ] || exit 7
${printLines({ type: 'progress', value: 0.5 }, { type: 'delta', text: 'Hello ' })}
${printLines({
	type: 'result',
	text: 'Hello there.',
	language: 'en',
	duration: 2,
	segments: [{ start: 0, end: 2, text: 'Hello there.' }],
	words: [
		{ start: 0, end: 1, word: 'Hello' },
		{ start: 1, end: 2, word: 'there' },
	],
})}
`;

beforeAll(async () => {
	harness = await createHarness();
	sharedModel = json(scriptedProgram, { timestamps: ['segment', 'word'], translate: true, languages: ['en', 'de'] });
});

afterAll(() => harness.remove());

function json(script: string, options: object = {}): Promise<TranscriptionModel> {
	return harness.make(command.transcription, { protocol: 'json', argv: shell(script), ...options });
}

function plain(script: string, args: readonly (string | string[])[], options: object = {}) {
	return harness.make(command.transcription, { protocol: 'plain', argv: [...shell(script), ...args], ...options });
}

/** An uploaded file that contains `text`; it decodes to three samples at any rate. */
async function audio(text = 'ID3 and more'): Promise<AudioFile> {
	const path = join(harness.dir, '..', `sent-${process.pid}`);
	await writeFile(path, text);
	async function* samples() {
		yield Float32Array.of(0.5, -1, 0);
	}
	return {
		...{ container: 'mp3', mediaType: 'audio/mpeg', name: 'audio.mp3', size: text.length, path },
		samples,
		open: () => {
			throw new Error('Models read the file by its path.');
		},
	};
}

async function hear(model: TranscriptionModel, changes: Partial<TranscriptionRequest> = {}) {
	const deltas: string[] = [];
	const request = { audio: await audio(), task: 'transcribe', timestamps: [], ...changes } as const;
	const run = { signal: new AbortController().signal, log: quiet, delta: (text: string) => void deltas.push(text) };
	return { ...(await model.transcribe(request, run)), deltas };
}

describe('a program of the JSON protocol conforms as a transcription model:', () => {
	for (const { name, run } of transcriptionModelSuite({
		create: async () => ({ model: await sharedModel, close: () => harness.clean() }),
		supports: { deterministic: true },
	})) {
		test(name, run, 60_000);
	}
});

describe('a plain program conforms as a transcription model:', () => {
	for (const { name, run } of transcriptionModelSuite({
		create: async () => ({ model: await plain('wc -c < "$1"', ['{audio}']), close: () => harness.clean() }),
		supports: { deterministic: true },
	})) {
		test(name, run, 60_000);
	}
});

describe('a program of the JSON protocol', () => {
	test('gets the file and the fields of the request, and returns the text', async () => {
		const script = `read line; printf '%s' "$line" > line; ${printLines({ type: 'warning', message: 'Loud.' })}
			printf '{"type":"result","text":"%s"}' "$(cat audio.mp3) $(cat line | tr -dc 'a-z:,' )"`;
		const made = await hear(await json(script), { language: 'de', prompt: 'plinth', temperature: 0.5 });
		expect(made.text).toMatch(/^ID3 and more /);
		for (const part of ['kind:transcription', 'audio:audio', 'language:de', 'prompt:plinth', 'temperature:']) {
			expect(made.text).toContain(part);
		}
		expect(made.warnings).toEqual(['Loud.']);
	});

	test('returns timestamps and partial text', async () => {
		expect(await hear(await sharedModel, { audio: await wavFile() })).toEqual({
			text: 'Hello there.',
			language: 'en',
			seconds: 2,
			segments: [{ start: 0, end: 2, text: 'Hello there.' }],
			words: [
				{ start: 0, end: 1, word: 'Hello' },
				{ start: 1, end: 2, word: 'there' },
			],
			warnings: [],
			deltas: ['Hello '],
		});
	});

	test('gets WAV at the configured rate', async () => {
		const kept = join(harness.dir, '..', `kept-${process.pid}.wav`);
		const model = await json(`cat > /dev/null; cp audio.wav ${kept}; ${printLines({ type: 'result', text: 'x' })}`, {
			sampleRate: 16_000,
		});
		await hear(model);
		const made = readWav(await readFile(kept));
		expect(made).toMatchObject({ sampleRate: 16_000, channels: 1, bitsPerSample: 16, dataBytes: 6, riffBytes: 42 });
		expect([...made.samples]).toEqual([16_384, -32_767, 0]);
	});

	test('fails when it returns no text, and can reject a request', async () => {
		await expect(hear(await json(printLines({ type: 'result' })))).rejects.toThrow('a result without a text');
		const refusal = printLines({ type: 'error', message: 'No speech.', code: 'invalid_value', param: 'file' });
		await expect(hear(await json(refusal))).rejects.toMatchObject({ param: 'file', message: 'No speech.' });
	});
});

describe('a plain program', () => {
	test('gets the name of the file and the language as arguments, and the prompt on stdin', async () => {
		const model = await plain('echo "$(cat) $(cat $1) $2 $3"', ['{audio}', ['-l', '{language}']]);
		const made = await hear(model, { language: 'de', prompt: 'Said before:', temperature: 1 });
		expect(made).toMatchObject({
			text: 'Said before: ID3 and more -l de',
			warnings: ['This model ignores temperature.'],
		});
		expect((await hear(model)).text).toBe('ID3 and more');
	});

	test('fails when it prints nothing; an empty line is silence', async () => {
		await expect(hear(await plain(':', ['{audio}']))).rejects.toThrow('without a result');
		expect((await hear(await plain('echo', ['{audio}']))).text).toBe('');
	});
});

async function wavFile(): Promise<AudioFile> {
	return { ...(await audio()), container: 'wav', name: 'audio.wav' };
}
