import { setTimeout as delay } from 'node:timers/promises';
import { modelError, unsupportedValue } from '@plinth/core';
import { describe, expect, it } from 'vitest';
import type { EncodedAudio, PcmAudio, SpeechModel, SpeechRequest } from '../src/model.ts';
import { type SpeechModelSuiteOptions, speechModelSuite } from '../src/testing/index.ts';
import { pcm, streamOf } from './harness.ts';

type Speak = SpeechModel['speak'];
type Audio = PcmAudio | EncodedAudio;

const all = { deterministic: true, speed: true };

/** A model that does everything right: a hum, piece by piece, with pauses that its signal ends. */
const good: Speak = async ({ input, speed, instructions }, { signal }) => {
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

/** A model that makes three formats itself, and nothing else. */
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
	const whole: SpeechModel = { apiVersion: 1, speak: good, ...model };
	const create = async () => ({ model: whole, close: async () => {} });
	return speechModelSuite({ create, supports });
}

/** Runs one case by its name. */
async function runCase(cases: ReturnType<typeof suiteOf>, name: string): Promise<void> {
	const found = cases.find((one) => one.name === name);
	if (!found) throw new Error(`There is no case "${name}", only:\n${cases.map((c) => c.name).join('\n')}`);
	await found.run();
}

describe('a good model keeps the sentence:', () => {
	for (const { name, run } of suiteOf({ voices: () => ['ann', 'bob'] })) it(name, run);
});

describe('a model that encodes by itself keeps the sentence:', () => {
	for (const { name, run } of suiteOf({ speak: encoding }, {})) it(name, run);
});

/** A model that does one thing wrong with what it has made. */
function wrongly(change: (audio: PcmAudio, request: SpeechRequest) => unknown): Speak {
	return async (request, run) => change((await good(request, run)) as PcmAudio, request) as Promise<Audio>;
}

async function* failing(error: Error): AsyncGenerator<Uint8Array> {
	yield Buffer.alloc(2);
	throw error;
}

const never = () => new Promise<never>(() => {});
const deaf = new AbortController().signal;
let counter = 0;

const form = 'speech is bytes of what it says it is: samples in whole frames, or an encoded file' as const;
const formats = 'every format gets samples or that format, or is refused with a status of 400 to 499' as const;
const odd = 'an unusual request is spoken, or refused with a 4xx status before the first byte' as const;
const ends = 'an abort ends the stream within a second, and one piece may still come' as const;

const wrong: readonly (readonly [string, Partial<SpeechModel>, string])[] = [
	[
		'is of another version',
		{ apiVersion: 2 as never },
		'the model says which version of the interface it is written for',
	],
	['says nothing', { speak: wrongly((audio) => ({ ...audio, body: streamOf([]) })) }, form],
	['has no rate', { speak: wrongly(({ sampleRate: _, ...audio }) => ({ ...audio, sampleRate: 0 })) }, form],
	['has six channels', { speak: wrongly((audio) => ({ ...audio, channels: 6 })) }, form],
	['cuts samples in two', { speak: wrongly((audio) => ({ ...audio, body: streamOf([Buffer.alloc(3)]) })) }, form],
	['returns a file at once', { speak: wrongly((audio) => ({ ...audio, body: 'hum' })) }, form],
	['warns without words', { speak: wrongly((audio) => ({ ...audio, warnings: [''] })) }, form],
	['makes MP3 whatever is asked for', { speak: async () => encoded('mp3', 'audio/mpeg', '\xff\xfb\x90\x00') }, formats],
	[
		'calls MP3 what is none',
		{
			speak: async (request, run) =>
				request.format === 'mp3' ? encoded('mp3', 'audio/mpeg', '<html>') : good(request, run),
		},
		formats,
	],
	[
		'gives a format the type of another',
		{
			speak: async (request, run) =>
				request.format === 'flac' ? encoded('flac', 'audio/mpeg', 'fLaC') : good(request, run),
		},
		formats,
	],
	[
		'rolls dice',
		{ speak: (request, run) => good({ ...request, input: 'a'.repeat(++counter) }, run) },
		'equal requests get equal bytes',
	],
	[
		'mixes up who asked',
		{
			async speak(request, run) {
				const nth = ++counter;
				await delay(2);
				return good({ ...request, input: 'a'.repeat(nth === counter ? 1 : 2) }, run);
			},
		},
		'two at the same time do not affect each other',
	],
	['has a voice twice', { voices: () => ['ann', 'ann'] }, 'voices have a name each, and every one of them speaks'],
	[
		'names a voice that it does not have',
		{
			voices: () => ['ann', 'bob'],
			async speak(request, run) {
				if (request.voice === 'bob') throw unsupportedValue('voice', 'Nobody knows bob.');
				return good(request, run);
			},
		},
		'voices have a name each, and every one of them speaks',
	],
	[
		'refuses without a code',
		{
			async speak(request, run) {
				if (request.input.includes('\0')) throw new Error('NUL');
				return good(request, run);
			},
		},
		odd,
	],
	[
		'refuses in the middle of the stream',
		{
			speak: wrongly((audio, { speed }) =>
				speed === 4 ? { ...audio, body: failing(unsupportedValue('speed', 'That is too fast.')) } : audio,
			),
		},
		odd,
	],
	[
		'calls a refusal a failure',
		{
			async speak(request, run) {
				if (request.input.length > 4_000) throw modelError('That is too long.');
				return good(request, run);
			},
		},
		'the longest text has a beginning that can be heard, or is refused likewise',
	],
	[
		'does not heed the tempo',
		{ speak: (request, run) => good({ ...request, speed: 1 }, run) },
		'speech at the double tempo takes about half as long',
	],
	[
		'does not look at its signal',
		{ speak: (request, run) => good(request, { ...run, signal: deaf }) },
		'a signal that has aborted before ends the call at once',
	],
	['goes on after an abort', { speak: (request, run) => good(request, { ...run, signal: deaf }) }, ends],
	[
		'calls an abort a failure',
		{
			speak: wrongly((audio) => ({ ...audio, body: failing(modelError('Stopped.')) })),
		},
		ends,
	],
	['hangs on after an abort', { speak: never }, 'an abort is heard while the model is at work'],
	[
		'does not let its reader go',
		{
			speak: wrongly((audio) => ({
				...audio,
				body: {
					[Symbol.asyncIterator]: () => ({
						next: async () => ({ done: false, value: Buffer.alloc(2) }),
						return: never,
					}),
				},
			})),
		},
		'a reader may leave in the middle',
	],
	[
		'can be left only once',
		{
			speak: wrongly((audio) => {
				counter += 1;
				return counter % 2 === 0 ? { ...audio, body: streamOf([]) } : audio;
			}),
		},
		'a reader may leave before the first byte, and the next one is heard',
	],
];

describe('the suite finds a model that', () => {
	it.each(wrong)('%s', async (_, model, name) => {
		counter = 0;
		await expect(runCase(suiteOf(model), name)).rejects.toThrow();
		await runCase(suiteOf({ voices: () => ['ann'] }), name);
	});
});
