import { execFile } from 'node:child_process';
import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, onTestFailed, test } from 'vitest';
import { type Child, plinth, startNode } from '../support/cli.ts';
import { heardWords } from '../support/fake-transcription.ts';
import { inMegabytes, memoryGrowthDuring } from '../support/process-tree.ts';
import { removeDir, temporaryDir } from '../support/serve.ts';

const exec = promisify(execFile);
const config = join(import.meta.dirname, '../support/transcription.config.ts');
const headers = { 'x-api-key': 'key-of-the-tests' };
const megabyte = 1_048_576;
const sentence = 'Go forward ten meters.';

let cwd: string;
let child: Child;
let url: string;
/** The sentence, spoken by the built-in voice. */
let spoken: Buffer;

beforeAll(async () => {
	cwd = await temporaryDir('hearing');
	const env = { PORT: '0', PLINTH_API_KEYS: 'me:key-of-the-tests', PLINTH_LOG_LEVEL: 'warn', TMPDIR: cwd };
	child = plinth(['serve', '--config', config], { cwd, env });
	[, url = ''] = await child.printed(/serving +(http:\S+)/);
	spoken = await speak('wav');
});

afterAll(async () => {
	await child?.kill();
	await removeDir(cwd);
});

async function speak(response_format: string): Promise<Buffer> {
	const body = { model: 'builtin-speech', voice: 'echo', input: sentence, response_format };
	const response = await fetch(`${url}/v1/audio/speech`, {
		method: 'POST',
		headers: { ...headers, 'content-type': 'application/json' },
		body: JSON.stringify(body),
	});
	expect(response.status).toBe(200);
	return Buffer.from(await response.arrayBuffer());
}

async function transcribe(bytes: Uint8Array, model: string, signal?: AbortSignal) {
	const form = new FormData();
	form.append('model', model);
	form.append('file', new Blob([Uint8Array.from(bytes)]), 'audio');
	const init = { method: 'POST', headers, body: form, ...(signal ? { signal } : {}) };
	const response = await fetch(`${url}/v1/audio/transcriptions`, init);
	const answer = (await response.json()) as { text: string; usage: object; error: { param: string; message: string } };
	return { status: response.status, ...answer };
}

test('the example transcribes the built-in voice, with the times of its words', async () => {
	const script = join(import.meta.dirname, '../../examples/transcription/speak-and-hear.ts');
	const spokenText = 'The lighthouse is on the hill.';
	const example = startNode([script, spokenText], { cwd, env: { PLINTH_DATA_DIR: join(cwd, 'example') } });
	await expect(example.exit).resolves.toMatchObject({ code: 0 });
	const [first, second, ...timed] = example.stdout().trim().split('\n');
	expect([first, second]).toEqual([`said   ${spokenText}`, 'heard  the lighthouse is on the hill']);
	const words = timed.map((line) => /^(\d\.\d\d) to (\d\.\d\d) s {2}(\w+)$/.exec(line)?.slice(1) ?? []);
	expect(words.map(([, , word]) => word).join(' ')).toBe('the lighthouse is on the hill');
	const times = words.flatMap(([start, end]) => [Number(start), Number(end)]);
	expect(times).toEqual(times.toSorted((a, b) => a - b));
	expect(times.at(-1)).toBeGreaterThan(1);
});

describe('the built-in speech is transcribed by pocketsphinx', () => {
	test.each(['wav', 'mp3', 'opus', 'flac'])('from %s', async (format) => {
		const { status, text, usage } = await transcribe(format === 'wav' ? spoken : await speak(format), 'sphinx');
		expect(status).toBe(200);
		expect(text).toContain('forward ten meters');
		expect(usage).toMatchObject({ type: 'duration', seconds: expect.any(Number) });
	});

	test.each([
		['m4a', ['-c:a', 'aac']],
		['webm', ['-c:a', 'libopus', '-f', 'webm']],
		['ogg', ['-c:a', 'libvorbis', '-f', 'ogg']],
		['stereo.mp3', ['-ac', '2', '-ar', '44100']],
		['stereo.flac', ['-ac', '2', '-ar', '48000']],
		['stereo.opus', ['-ac', '2', '-c:a', 'libopus']],
		['float.wav', ['-ac', '2', '-ar', '96000', '-c:a', 'pcm_f32le']],
		['alaw.wav', ['-c:a', 'pcm_alaw']],
	])('from %s, by ffmpeg where the codec needs it', async (ending, options) => {
		const [from, to] = [join(cwd, 'said.wav'), join(cwd, `said.${ending}`)];
		await writeFile(from, spoken);
		await exec('ffmpeg', ['-v', 'error', '-y', '-i', from, ...options, to]);
		expect((await transcribe(await readFile(to), 'sphinx')).text).toContain('forward ten meters');
	});

	test('in a chat with a model that accepts no audio', async () => {
		const data = spoken.toString('base64');
		const content = [
			{ type: 'text', text: 'How many meters?' },
			{ type: 'input_audio', input_audio: { data, format: 'wav' } },
		];
		const response = await fetch(`${url}/v1/chat/completions`, {
			method: 'POST',
			headers: { ...headers, 'content-type': 'application/json' },
			body: JSON.stringify({ model: 'builtin-chat', messages: [{ role: 'user', content }] }),
		});
		expect(JSON.stringify(await response.json())).toContain('ten meters');
	});
});

/** A WAV file of silence with this many bytes. */
function silence(bytes: number): Buffer {
	const file = Buffer.alloc(bytes);
	spoken.copy(file, 0, 0, 44);
	file.writeUInt32LE(bytes - 8, 4);
	file.writeUInt32LE(bytes - 44, 40);
	return file;
}

test('sixteen files of 25 MB, four at a time, are transcribed with little memory', async () => {
	onTestFailed(() => console.error(child.stdout(), child.stderr()));
	const file = silence(25 * megabyte);
	expect(await transcribe(file, 'hear-1')).toMatchObject({ status: 200, text: heardWords });
	const work = async () => {
		for (let round = 0; round < 4; round++) {
			const responses = await Promise.all(Array.from({ length: 4 }, () => transcribe(file, 'hear-1')));
			expect(responses.map(({ status }) => status)).toEqual([200, 200, 200, 200]);
		}
	};
	const working = work();
	const held = await memoryGrowthDuring(child.pid, () => working);
	console.info(`16 x 25 MB: server +${inMegabytes(held.server)}.`);
	expect(held.server).toBeLessThan(100 * megabyte);
});

test('truncated, too large and aborted uploads leave no files', async () => {
	onTestFailed(() => console.error(child.stdout(), child.stderr()));
	const mp3 = await speak('mp3');
	for (let length = 40; length < mp3.length; length = Math.ceil(length * 1.7)) {
		const { status } = await transcribe(mp3.subarray(0, length), 'hear-1');
		expect([200, 400]).toContain(status);
	}
	expect((await transcribe(silence(26 * megabyte), 'hear-1')).status).toBe(413);
	for (let round = 0; round < 10; round++) {
		const controller = new AbortController();
		const given = transcribe(silence(20 * megabyte), 'sphinx', controller.signal).catch(() => undefined);
		setTimeout(() => controller.abort(), round * 20);
		await given;
	}
	const left = async () => (await readdir(cwd)).filter((name) => /^plinth-(?!guard)/.test(name));
	await expect.poll(left, { timeout: 20_000 }).toEqual([]);
	expect(await transcribe(spoken, 'hear-1')).toMatchObject({ status: 200 });
});
