import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { modelError, unsupportedValue } from '@plinth/core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { EncodedAudio, PcmAudio, SpeechModel, SpeechRequest } from '../src/model.ts';
import { type SpeechModelSuiteOptions, speechModelSuite } from '../src/testing/index.ts';
import { pcm, streamOf } from './harness.ts';

type Speak = SpeechModel['speak'];
type Audio = PcmAudio | EncodedAudio;

const all = { deterministic: true, speed: true };

/** A correct model: it emits a hum in chunks, with pauses that its signal ends. */
const correct: Speak = async ({ input, speed, instructions }, { signal }) => {
	signal.throwIfAborted();
	if (!/\w/.test(input)) throw unsupportedValue('input', 'There is nothing to speak.');
	async function* hum() {
		for (let piece = 0; piece < 4; piece++) {
			await delay(3, undefined, { signal }).catch(() => signal.throwIfAborted());
			yield Buffer.alloc(Math.round(400 / speed) * 2, input.length);
		}
	}
	return pcm([], {
		body: hum(),
		...(instructions ? { warnings: ['This model ignores instructions.'] } : {}),
	});
};

const encoded = (format: string, mediaType: string, bytes: string): Audio =>
	({ format, mediaType, body: streamOf([Buffer.from(bytes, 'latin1')]) }) as EncodedAudio;

/** A model that encodes three formats, and no others. */
const encoding: Speak = async ({ format, input }, { signal }) => {
	signal.throwIfAborted();
	if (input.trim() === '') throw unsupportedValue('input', 'There is nothing to speak.');
	if (format === 'mp3') return encoded('mp3', 'audio/mpeg', '\xff\xfb\x90\x00');
	if (format === 'flac') return encoded('flac', 'audio/flac', 'fLaC');
	if (format === 'wav') return encoded('wav', 'audio/wav', 'RIFF\0\0\0\0WAVE');
	if (format === 'pcm') return pcm([Buffer.alloc(8)], { channels: 2 });
	throw unsupportedValue('response_format', 'This model makes MP3, FLAC and WAV.');
};

function suiteOf(model: Partial<SpeechModel>, supports: NonNullable<SpeechModelSuiteOptions['supports']> = all) {
	const whole: SpeechModel = { apiVersion: 1, speak: correct, ...model };
	const create = async () => ({ model: whole, close: async () => {} });
	return speechModelSuite({ create, supports });
}

/** Runs the case with this name. */
async function runCase(cases: ReturnType<typeof suiteOf>, name: string): Promise<void> {
	const found = cases.find((one) => one.name === name);
	if (!found) throw new Error(`There is no case "${name}", only:\n${cases.map((c) => c.name).join('\n')}`);
	await found.run();
}

describe('a correct model passes the case:', () => {
	for (const { name, run } of suiteOf({ voices: () => ['ann', 'bob'] })) it(name, run);
});

describe('a model that encodes passes the case:', () => {
	for (const { name, run } of suiteOf({ speak: encoding }, {})) it(name, run);
});

describe('a model that passes on the body of fetch, cut within samples, passes the case:', () => {
	const upstream = createServer((req, res) => {
		req.resume().on('end', () => {
			for (let piece = 0; piece < 600; piece++) res.write(Buffer.alloc(3));
			res.end();
		});
	});
	beforeAll(() => new Promise<void>((resolve) => upstream.listen(0, '127.0.0.1', resolve)));
	afterAll(() => upstream.close());

	const speak: Speak = async (request, { signal }) => {
		const { port } = upstream.address() as AddressInfo;
		const response = await fetch(`http://127.0.0.1:${port}`, { method: 'POST', body: request.input, signal });
		if (!response.body) throw modelError('The server sent no body.');
		return pcm([], { body: response.body });
	};
	for (const { name, run } of suiteOf({ speak }, { deterministic: true })) it(name, run);
});

/** A model that changes the result of the correct one. */
function changed(change: (audio: PcmAudio, request: SpeechRequest) => unknown): Speak {
	return async (request, run) => change((await correct(request, run)) as PcmAudio, request) as Promise<Audio>;
}

async function* failing(error: Error): AsyncGenerator<Uint8Array> {
	yield Buffer.alloc(2);
	throw error;
}

const never = () => new Promise<never>(() => {});
const ignoresSignal = new AbortController().signal;
let counter = 0;

const form = 'the bytes match the declared form: samples, or an encoded file' as const;
const formats = 'each format returns samples or that format, or is rejected with a 4xx status' as const;
const odd = 'an unusual request is spoken, or rejected with a 4xx status before the first byte' as const;
const ends = 'an abort ends the stream within a second, after at most one more chunk' as const;

const wrong: readonly (readonly [string, Partial<SpeechModel>, string])[] = [
	['declares another version', { apiVersion: 2 as never }, 'the model declares the version of its interface'],
	['returns no audio', { speak: changed((audio) => ({ ...audio, body: streamOf([]) })) }, form],
	['declares no sample rate', { speak: changed(({ sampleRate: _, ...audio }) => ({ ...audio, sampleRate: 0 })) }, form],
	['declares 999 samples per second', { speak: changed((audio) => ({ ...audio, sampleRate: 999 })) }, form],
	['declares six channels', { speak: changed((audio) => ({ ...audio, channels: 6 })) }, form],
	[
		'ends in the middle of a sample',
		{ speak: changed((audio) => ({ ...audio, body: streamOf([Buffer.alloc(3)]) })) },
		form,
	],
	['returns a string as its body', { speak: changed((audio) => ({ ...audio, body: 'hum' })) }, form],
	['returns an empty warning', { speak: changed((audio) => ({ ...audio, warnings: [''] })) }, form],
	['returns MP3 for all formats', { speak: async () => encoded('mp3', 'audio/mpeg', '\xff\xfb\x90\x00') }, formats],
	[
		'declares MP3 for other bytes',
		{
			speak: async (request, run) =>
				request.format === 'mp3' ? encoded('mp3', 'audio/mpeg', '<html>') : correct(request, run),
		},
		formats,
	],
	[
		'declares the media type of another format',
		{
			speak: async (request, run) =>
				request.format === 'flac' ? encoded('flac', 'audio/mpeg', 'fLaC') : correct(request, run),
		},
		formats,
	],
	[
		'returns different bytes each time',
		{ speak: (request, run) => correct({ ...request, input: 'a'.repeat(++counter) }, run) },
		'equal requests get equal bytes',
	],
	[
		'mixes up concurrent calls',
		{
			async speak(request, run) {
				const nth = ++counter;
				await delay(2);
				return correct({ ...request, input: 'a'.repeat(nth === counter ? 1 : 2) }, run);
			},
		},
		'concurrent calls do not affect each other',
	],
	['lists a voice twice', { voices: () => ['ann', 'ann'] }, 'each voice has a unique name and speaks'],
	[
		'lists a voice that does not speak',
		{
			voices: () => ['ann', 'bob'],
			async speak(request, run) {
				if (request.voice === 'bob') throw unsupportedValue('voice', 'Nobody knows bob.');
				return correct(request, run);
			},
		},
		'each voice has a unique name and speaks',
	],
	[
		'rejects without an error code',
		{
			async speak(request, run) {
				if (request.input.includes('\0')) throw new Error('NUL');
				return correct(request, run);
			},
		},
		odd,
	],
	[
		'rejects in the middle of the stream',
		{
			speak: changed((audio, { speed }) =>
				speed === 4 ? { ...audio, body: failing(unsupportedValue('speed', 'That is too fast.')) } : audio,
			),
		},
		odd,
	],
	[
		'rejects with a 5xx status',
		{
			async speak(request, run) {
				if (request.input.length > 4_000) throw modelError('That is too long.');
				return correct(request, run);
			},
		},
		'the longest text returns audio, or is rejected with a 4xx status',
	],
	[
		'ignores the speed',
		{ speak: (request, run) => correct({ ...request, speed: 1 }, run) },
		'speech at double speed takes about half as long',
	],
	[
		'ignores an aborted signal',
		{ speak: (request, run) => correct(request, { ...run, signal: ignoresSignal }) },
		'a call with an aborted signal ends immediately',
	],
	['continues after an abort', { speak: (request, run) => correct(request, { ...run, signal: ignoresSignal }) }, ends],
	[
		'rejects an abort with another error',
		{
			speak: changed((audio) => ({ ...audio, body: failing(modelError('Stopped.')) })),
		},
		ends,
	],
	['hangs after an abort', { speak: never }, 'an abort ends the stream while the model works'],
	[
		'does not end when its reader stops',
		{
			speak: changed((audio) => ({
				...audio,
				body: {
					[Symbol.asyncIterator]: () => ({
						next: async () => ({ done: false, value: Buffer.alloc(2) }),
						return: never,
					}),
				},
			})),
		},
		'a reader may stop in the middle of the stream',
	],
	[
		'fails after a reader has stopped',
		{
			speak: changed((audio) => {
				counter += 1;
				return counter % 2 === 0 ? { ...audio, body: streamOf([]) } : audio;
			}),
		},
		'a reader may stop before the first byte, and the next call works',
	],
];

describe('the suite detects a model that', () => {
	it.each(wrong)('%s', async (_, model, name) => {
		counter = 0;
		await expect(runCase(suiteOf(model), name)).rejects.toThrow();
		await runCase(suiteOf({ voices: () => ['ann'] }), name);
	});
});
