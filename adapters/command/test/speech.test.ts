import type { SpeechModel, SpeechRequest } from '@plinth/plugin-speech/model';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { command } from '../src/index.ts';
import { readWavHeader } from '../src/kinds/wav.ts';
import { createHarness, type Harness, quiet, shell } from './harness.ts';

let harness: Harness;

beforeAll(async () => {
	harness = await createHarness();
});

afterAll(() => harness.remove());

const request: SpeechRequest = { input: 'Good day', voice: 'alloy', speed: 1, format: 'wav' };

function plain(script: string, args: readonly string[] = [], more: object = {}) {
	const argv = [...shell(script), ...args];
	return harness.make(command.speech, { protocol: 'plain', argv, ...more });
}

async function audioOf(model: SpeechModel, changes: Partial<SpeechRequest> = {}) {
	const { signal } = new AbortController();
	const { body, ...sound } = await model.speak({ ...request, ...changes }, { signal, log: quiet });
	const chunks: Uint8Array[] = [];
	for await (const chunk of body) chunks.push(chunk);
	return { ...sound, bytes: Buffer.concat(chunks) };
}

/** A WAV file as bytes. `length` is the length in its header. */
function wav(samples: Buffer, { length = samples.length, bits = 16, channels = 1 } = {}): Buffer {
	const head = Buffer.alloc(48);
	head.write('RIFF\xff\xff\xff\xffWAVEfmt ', 'latin1');
	head.writeUInt32LE(18, 16);
	head.writeUInt16LE(1, 20);
	head.writeUInt16LE(channels, 22);
	head.writeUInt32LE(22_050, 24);
	head.writeUInt16LE(bits, 34);
	head.write('data', 38, 'latin1');
	head.writeUInt32LE(length, 42);
	return Buffer.concat([head.subarray(0, 46), samples]);
}

const printing = (bytes: Buffer) => plain(`echo ${bytes.toString('base64')} | base64 -d`);

describe('the output of a plain program', () => {
	test('is converted from WAV to samples, so that any format can be made of it', async () => {
		const samples = Buffer.from([1, 0, 2, 0, 3, 0]);
		expect(await audioOf(await printing(wav(samples)))).toEqual({
			mediaType: 'audio/pcm',
			sampleRate: 22_050,
			channels: 1,
			warnings: [],
			bytes: samples,
		});
	});

	test.each([0, 0x7fff_f000, 0xffff_ffff])('may declare a length of %d, which means unknown', async (length) => {
		const samples = Buffer.from([1, 0, 2, 0]);
		expect((await audioOf(await printing(wav(samples, { length })))).bytes).toEqual(samples);
	});

	test('ends at the length in its header', async () => {
		const file = Buffer.concat([wav(Buffer.from([1, 0, 2, 0])), Buffer.from('LIST....more')]);
		expect((await audioOf(await printing(file))).bytes).toEqual(Buffer.from([1, 0, 2, 0]));
	});

	test('is passed on, however it is chunked', async () => {
		const script = `printf '\\1'; sleep 0.01; printf '\\2\\3'; sleep 0.01; printf '\\4\\5\\6'`;
		const model = await plain(script, [], { pcm: { sampleRate: '16000' } });
		const made = await audioOf(model);
		expect(made).toMatchObject({ mediaType: 'audio/pcm', sampleRate: 16_000, channels: 1 });
		expect(made.bytes).toEqual(Buffer.from([1, 2, 3, 4, 5, 6]));
	});

	test('is recognised by its content when it is encoded', async () => {
		const flac = Buffer.concat([Buffer.from('fLaC\0\0\0\x22'), Buffer.alloc(64)]);
		const made = await audioOf(await printing(flac));
		expect(made).toMatchObject({ mediaType: 'audio/flac', format: 'flac' });
		expect(made.bytes).toEqual(flac);
	});

	test.each([
		['empty', Buffer.alloc(0), 'ended without a result'],
		['words', Buffer.from('espeak: no such voice'), 'made a file that is not audio'],
		['a picture', Buffer.from('\x89PNG\r\n\x1a\n', 'latin1'), 'made a file that is not audio'],
		['24-bit samples', wav(Buffer.alloc(6), { bits: 24 }), 'made a WAV file without 16-bit PCM'],
		['six channels', wav(Buffer.alloc(12), { channels: 6 }), 'made a WAV file without 16-bit PCM'],
	])('fails before the first byte when it is %s', async (_, bytes, deed) => {
		await expect(audioOf(await printing(bytes))).rejects.toMatchObject({
			code: 'E_MODEL_FAILED',
			message: expect.stringContaining(deed),
		});
		await harness.clean();
	});

	test('ends with an error when the program fails', async () => {
		const script = 'head -c 9000 /dev/zero; exit 2';
		const model = await plain(script, [], { pcm: { sampleRate: 8_000 } });
		await expect(audioOf(model)).rejects.toThrow('ended with exit code 2');
		await harness.clean();
	});

	test('stops when the reader stops', async () => {
		const model = await plain('cat /dev/zero', [], { pcm: { sampleRate: 8_000 } });
		const { signal } = new AbortController();
		const { body } = await model.speak(request, { signal, log: quiet });
		for await (const chunk of body) {
			expect(chunk.length).toBeGreaterThan(0);
			break;
		}
		await harness.clean();
	});

	test('stops when the client disconnects before it is read', async () => {
		const model = await plain('cat /dev/zero', [], { pcm: { sampleRate: 8_000 } });
		const controller = new AbortController();
		await model.speak(request, { signal: controller.signal, log: quiet });
		controller.abort(new Error('The client disconnected.'));
		await harness.clean();
	});
});

describe('the input of a plain program', () => {
	const echo = 'printf "%s " "$@" > said; cat >> said; wc -c < said > /dev/null; cat said';
	const pcm = { sampleRate: 8_000 };

	async function inputOf(args: readonly string[], more: object, changes: Partial<SpeechRequest>) {
		const { bytes } = await audioOf(await plain(echo, args, { pcm, ...more }), changes);
		// Half a sample at the end is dropped.
		return bytes.toString();
	}

	test('contains the text on stdin and the configured name of the voice', async () => {
		const more = { voices: { alloy: 'en-us', nova: 'fr' } };
		expect(await inputOf(['-v', '{voice}'], more, { voice: 'nova' })).toBe('-v fr Good day');
	});

	test('contains the speed in the configured unit', async () => {
		const more = { tempo: 175 };
		expect(await inputOf(['-s', '{speed}'], more, { speed: 1.2 })).toBe('-s 210 Good day');
	});

	test('has no place for a speed without a placeholder: that is rejected, and instructions give a warning', async () => {
		const model = await plain('printf aa', [], { pcm });
		await expect(audioOf(model, { speed: 2 })).rejects.toMatchObject({
			code: 'E_VALUE_UNSUPPORTED',
			param: 'speed',
		});
		const { warnings } = await audioOf(model, { instructions: 'Whisper.' });
		expect(warnings).toEqual(['This model ignores instructions.']);
	});
});

describe('voices', () => {
	const listed = { argv: [...shell('echo Pty Name; echo 5 en; echo 5 de')], pattern: '^5 (\\w+)' };

	test('are listed by the program at the start, and the operator can add names', async () => {
		const model = await plain('echo $1$1', ['{voice}'], {
			voicesFrom: listed,
			voices: { alloy: 'en' },
			pcm: { sampleRate: 8_000 },
		});
		expect(model.voices?.()).toEqual(['en', 'de', 'alloy']);
		const { bytes } = await audioOf(model, { voice: 'alloy' });
		expect(bytes.toString().trim()).toBe('enen');
		await harness.clean();
	});

	test('prevent a start when the program does not list them', async () => {
		const voicesFrom = { ...listed, pattern: '^6 (\\w+)' };
		await expect(plain('true', [], { voicesFrom })).rejects.toThrow('No line of the output of /bin/sh');
	});

	test('are unrestricted when none are configured, for a program of the JSON protocol', async () => {
		const script = `cat > said; printf x >> said; echo '{"type":"result","file":"said"}'`;
		const options = { protocol: 'json', argv: shell(script), pcm: { sampleRate: 8_000 } } as const;
		const model = await harness.make(command.speech, options);
		expect(model.voices).toBeUndefined();
		const { bytes } = await audioOf(model, { voice: '--help', instructions: 'Whisper.' });
		expect(JSON.parse(bytes.toString().slice(0, bytes.lastIndexOf('}') + 1))).toMatchObject({
			kind: 'speech',
			input: 'Good day',
			voice: '--help',
			speed: 1,
			instructions: 'Whisper.',
		});
	});
});

describe('the header of a WAV file', () => {
	test('is not mistaken for other formats, wherever it is chunked', () => {
		const whole = wav(Buffer.from([1, 0]));
		for (let end = 0; end < 46; end++) expect(readWavHeader(whole.subarray(0, end))).toBeUndefined();
		expect(readWavHeader(whole)).toEqual({
			sampleRate: 22_050,
			channels: 1,
			dataOffset: 46,
			length: 2,
		});
	});
});
