import { buffer } from 'node:stream/consumers';
import type { SpeechModelV3, SpeechModelV4, TranscriptionModelV3, TranscriptionModelV4 } from '@ai-sdk/provider';
import { defineModel, unsupportedValue } from '@plinth/core';
import { audioTypeOf, type EncodedAudio, type PcmAudio, speechModels } from '@plinth/plugin-speech/model';
import { type Transcription, transcriptionModels } from '@plinth/plugin-transcription/model';
import { z } from 'zod';
import { callProvider, invalidAnswer, sentences } from './failure.ts';
import { loadModel } from './load.ts';
import { configFor, description, list, number } from './options.ts';

type Transcriber = TranscriptionModelV3 | TranscriptionModelV4;

/** A speech model of a provider, which returns whole files. */
export const speech = defineModel({
	kind: speechModels,
	name: 'aiSdk.speech',
	description,
	config: configFor<SpeechModelV3 | SpeechModelV4>()({
		/** The formats that the provider makes. Others are made from its `pcm`. */
		formats: list(z.enum(['mp3', 'opus', 'aac', 'flac', 'wav', 'pcm'])).default(['mp3', 'wav', 'pcm']),
		/** Samples per second of the provider's `pcm`, which is mono with 16 bits. */
		sampleRate: number().int().min(8_000).max(192_000).default(24_000),
		/** The available voices. Unless set, every name is accepted. */
		voices: list(z.string().min(1)).optional(),
		/** The languages that the model supports, ISO 639-1. Transcription refuses others. Unset: not known. */
		languages: list(z.string().min(1)).optional(),
	}),
	async create({ config, folder }) {
		const model = await loadModel<SpeechModelV3 | SpeechModelV4>(config, 'speech', folder);
		const { voices, languages, formats, sampleRate, providerOptions } = config;
		return {
			apiVersion: 1,
			abilities: { languages, formats },
			...(voices ? { voices: () => voices } : {}),
			async speak({ input: text, voice, speed, instructions = '', format: requested }, { signal }) {
				const format = formats.includes(requested) ? requested : 'pcm';
				if (!formats.includes(format)) throw unsupportedValue('response_format', `This model makes only ${formats}.`);
				const optional = { ...(speed === 1 ? {} : { speed }), ...(instructions ? { instructions } : {}) };
				const options = { text, voice, outputFormat: format, ...optional, providerOptions, abortSignal: signal };
				const { audio, warnings } = await callProvider(signal, model.provider, () => model.doGenerate(options));
				const bytes = typeof audio === 'string' ? Buffer.from(audio, 'base64') : Buffer.from(audio);
				const made = audioOf(bytes, format === 'pcm' ? sampleRate : undefined);
				if (!made) throw invalidAnswer(model.provider, `sent something else than ${format}`);
				return { ...made, warnings: sentences(warnings) };
			},
		};
	},
});

/** Recognises a file by its bytes: providers may send another format. `sampleRate`: samples without a header. */
function audioOf(bytes: Buffer, sampleRate: number | undefined): PcmAudio | EncodedAudio | undefined {
	const whole = bytes.subarray(0, sampleRate ? bytes.length - (bytes.length % 2) : undefined);
	const body = ReadableStream.from([whole]);
	if (sampleRate) return whole.length > 0 ? { mediaType: 'audio/pcm', sampleRate, channels: 1, body } : undefined;
	const type = audioTypeOf(bytes);
	return type && { ...type, body };
}

/** A transcription model of a provider. */
export const transcription = defineModel({
	kind: transcriptionModels,
	name: 'aiSdk.transcription',
	description,
	config: configFor<TranscriptionModelV3 | TranscriptionModelV4>()({
		/** The times that the model reports. */
		timestamps: z.array(z.enum(['segment', 'word'])).default([]),
		/** The languages that the model supports. */
		languages: list(z.string().regex(/^[a-z]{2,3}$/)).optional(),
	}),
	async create({ config: { timestamps, languages, providerOptions, ...named }, folder }) {
		const model = await loadModel<Transcriber>(named, 'transcription', folder);
		const name = model.provider.split('.')[0] ?? '';
		return {
			apiVersion: 1,
			abilities: { languages, segments: timestamps.includes('segment'), words: timestamps.includes('word') },
			async transcribe({ audio, language, prompt, temperature, timestamps }, { signal }) {
				const timestampGranularities = timestamps.length > 0 ? [...timestamps] : undefined;
				// The specification has no options for these. Most providers have some of these names.
				const own = { language, prompt, temperature, timestampGranularities, ...providerOptions[name] };
				const options = {
					audio: await buffer(audio.open()),
					mediaType: audio.mediaType,
					...(timestampGranularities ? { timestampGranularities } : {}),
					providerOptions: { ...providerOptions, [name]: own } as typeof providerOptions,
					abortSignal: signal,
				};
				return transcriptionOf(await callProvider(signal, model.provider, () => model.doGenerate(options)));
			},
		};
	},
});

function transcriptionOf(result: Awaited<ReturnType<Transcriber['doGenerate']>>): Transcription {
	const { text, language, durationInSeconds: seconds, segments, warnings } = result;
	const words = 'words' in result ? result.words : undefined;
	const timed = ({ startSecond: start, endSecond: end }: (typeof segments)[number]) => ({ start, end });
	return {
		text,
		...(language ? { language: language.toLowerCase() } : {}),
		...(seconds === undefined ? {} : { seconds }),
		...(segments.length > 0 ? { segments: segments.map((each) => ({ ...timed(each), text: each.text })) } : {}),
		...(words ? { words: words.map((each) => ({ ...timed(each), word: each.text })) } : {}),
		warnings: sentences(warnings),
	};
}
