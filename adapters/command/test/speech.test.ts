import type { SpeechModel, SpeechRequest } from '@plinth/plugin-speech/model';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { command } from '../src/index.ts';
import { readWavHeader } from '../src/kinds/wav.ts';
import { type Bench, createBench, quiet, shell } from './harness.ts';

let bench: Bench;

beforeAll(async () => {
	bench = await createBench();
});

afterAll(() => bench.remove());

const request: SpeechRequest = { input: 'Good day', voice: 'alloy', speed: 1, format: 'wav' };

function plain(script: string, args: readonly string[] = [], more: object = {}) {
	const argv = [...shell(script), ...args];
	return bench.make(command.speech, { protocol: 'plain', argv, ...more });
}

async function heard(model: SpeechModel, changes: Partial<SpeechRequest> = {}) {
	const { signal } = new AbortController();
	const { body, ...sound } = await model.speak({ ...request, ...changes }, { signal, log: quiet });
	const chunks: Uint8Array[] = [];
	for await (const chunk of body) chunks.push(chunk);
	return { ...sound, bytes: Buffer.concat(chunks) };
}

/** A WAV file as base64. `length` is what its head says, in bytes. */
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

describe('what a plain program prints', () => {
	test('is taken out of a WAV file as samples, so that any format can be made of them', async () => {
		const samples = Buffer.from([1, 0, 2, 0, 3, 0]);
		expect(await heard(await printing(wav(samples)))).toEqual({
			mediaType: 'audio/pcm',
			sampleRate: 22_050,
			channels: 1,
			warnings: [],
			bytes: samples,
		});
	});

	test.each([0, 0x7fff_f000, 0xffff_ffff])('may have a length of %d, which means that nobody knew', async (length) => {
		const samples = Buffer.from([1, 0, 2, 0]);
		expect((await heard(await printing(wav(samples, { length })))).bytes).toEqual(samples);
	});

	test('ends where its head says, whatever follows', async () => {
		const file = Buffer.concat([wav(Buffer.from([1, 0, 2, 0])), Buffer.from('LIST....more')]);
		expect((await heard(await printing(file))).bytes).toEqual(Buffer.from([1, 0, 2, 0]));
	});

	test('ends with a whole frame, also where its head says otherwise', async () => {
		const file = wav(Buffer.from([1, 0, 2, 0, 3, 0, 4, 0]), { length: 7, channels: 2 });
		expect((await heard(await printing(file))).bytes).toEqual(Buffer.from([1, 0, 2, 0]));
	});

	test('comes in whole frames however it is cut', async () => {
		const script = `printf '\\1'; sleep 0.01; printf '\\2\\3'; sleep 0.01; printf '\\4\\5\\6'`;
		const model = await plain(script, [], { pcm: { sampleRate: '16000' } });
		const made = await heard(model);
		expect(made).toMatchObject({ mediaType: 'audio/pcm', sampleRate: 16_000, channels: 1 });
		expect(made.bytes).toEqual(Buffer.from([1, 2, 3, 4, 5, 6]));
	});

	test('is known by its content where it is encoded', async () => {
		const flac = Buffer.concat([Buffer.from('fLaC\0\0\0\x22'), Buffer.alloc(64)]);
		const made = await heard(await printing(flac));
		expect(made).toMatchObject({ mediaType: 'audio/flac', format: 'flac' });
		expect(made.bytes).toEqual(flac);
	});

	test.each([
		['nothing', Buffer.alloc(0), 'ended without a result'],
		['words', Buffer.from('espeak: no such voice'), 'made a file that is not audio'],
		['a picture', Buffer.from('\x89PNG\r\n\x1a\n', 'latin1'), 'made a file that is not audio'],
		['24-bit samples', wav(Buffer.alloc(6), { bits: 24 }), 'made a WAV file without 16-bit PCM'],
		['six channels', wav(Buffer.alloc(12), { channels: 6 }), 'made a WAV file without 16-bit PCM'],
	])('fails before the first byte where it is %s', async (_, bytes, deed) => {
		await expect(heard(await printing(bytes))).rejects.toMatchObject({
			code: 'E_MODEL_FAILED',
			message: expect.stringContaining(deed),
		});
		await bench.clean();
	});

	test('breaks off where the program fails', async () => {
		const script = 'head -c 9000 /dev/zero; exit 2';
		const model = await plain(script, [], { pcm: { sampleRate: 8_000 } });
		await expect(heard(model)).rejects.toThrow('ended with exit code 2');
		await bench.clean();
	});

	test('is waited for only as long as somebody listens', async () => {
		const model = await plain('cat /dev/zero', [], { pcm: { sampleRate: 8_000 } });
		const { signal } = new AbortController();
		const { body } = await model.speak(request, { signal, log: quiet });
		for await (const chunk of body) {
			expect(chunk.length).toBeGreaterThan(0);
			break;
		}
		await bench.clean();
	});

	test('is ended when the client leaves before anybody has listened', async () => {
		const model = await plain('cat /dev/zero', [], { pcm: { sampleRate: 8_000 } });
		const leave = new AbortController();
		await model.speak(request, { signal: leave.signal, log: quiet });
		leave.abort(new Error('The client has disconnected.'));
		await bench.clean();
	});
});

describe('what a plain program is told', () => {
	const echo = 'printf "%s " "$@" > said; cat >> said; wc -c < said > /dev/null; cat said';
	const pcm = { sampleRate: 8_000 };

	async function told(args: readonly string[], more: object, changes: Partial<SpeechRequest>) {
		const { bytes } = await heard(await plain(echo, args, { pcm, ...more }), changes);
		// Half a sample at the end is left out.
		return bytes.toString();
	}

	test('is the text on stdin, and its own name of the voice', async () => {
		const more = { voices: { alloy: 'en-us', nova: 'fr' } };
		expect(await told(['-v', '{voice}'], more, { voice: 'nova' })).toBe('-v fr Good day');
	});

	test('is the tempo in its own unit', async () => {
		const more = { tempo: 175 };
		expect(await told(['-s', '{speed}'], more, { speed: 1.2 })).toBe('-s 210 Good da');
	});

	test('refuses a tempo that it cannot be told, and warns of words that it does not get', async () => {
		const model = await plain('printf aa', [], { pcm });
		await expect(heard(model, { speed: 2 })).rejects.toMatchObject({
			code: 'E_VALUE_UNSUPPORTED',
			param: 'speed',
		});
		const { warnings } = await heard(model, { instructions: 'Whisper.' });
		expect(warnings).toEqual(['This model ignores instructions.']);
	});
});

describe('voices', () => {
	const listed = { argv: [...shell('echo Pty Name; echo 5 en; echo 5 de')], pattern: '^5 (\\w+)' };

	test('are asked for at the start, and the operator adds names of its own', async () => {
		const model = await plain('echo $1$1', ['{voice}'], {
			voicesFrom: listed,
			voices: { alloy: 'en' },
			pcm: { sampleRate: 8_000 },
		});
		expect(model.voices?.()).toEqual(['en', 'de', 'alloy']);
		const { bytes } = await heard(model, { voice: 'alloy' });
		expect(bytes.toString().trim()).toBe('enen');
		await bench.clean();
	});

	test('that cannot be told keep a server from starting', async () => {
		const voicesFrom = { ...listed, pattern: '^6 (\\w+)' };
		await expect(plain('true', [], { voicesFrom })).rejects.toThrow('No line of what /bin/sh prints');
	});

	test('are any where nobody has named them, for a program of the JSON protocol', async () => {
		const script = `cat > said; printf x >> said; echo '{"type":"result","file":"said"}'`;
		const options = { protocol: 'json', argv: shell(script), pcm: { sampleRate: 8_000 } } as const;
		const model = await bench.make(command.speech, options);
		expect(model.voices).toBeUndefined();
		const { bytes } = await heard(model, { voice: '--help', instructions: 'Whisper.' });
		expect(JSON.parse(bytes.toString().slice(0, bytes.lastIndexOf('}') + 1))).toMatchObject({
			kind: 'speech',
			input: 'Good day',
			voice: '--help',
			speed: 1,
			instructions: 'Whisper.',
		});
	});
});

describe('the head of a WAV file', () => {
	test('is not taken for one that it is not, wherever it is cut', () => {
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
