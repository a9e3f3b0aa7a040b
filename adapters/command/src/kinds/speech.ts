import { defineModel, invalidValue, services, unsupportedValue } from '@plinth/core';
import { type SpeechModel, type SpeechRequest, speechModels } from '@plinth/plugin-speech/model';
import { withCleanup } from '@plinth/toolkit';
import { z } from 'zod';
import { placeholdersIn, warningsOf } from '../protocol/argv.ts';
import { requestJson } from '../protocol/json.ts';
import { jsonProgram, number, plainProgram } from '../protocol/options.ts';
import { streamPlain } from '../protocol/plain.ts';
import type { Run } from '../run/run.ts';
import { Runs } from '../run/runs.ts';
import { readSound } from './sound.ts';
import { findVoices, voiceOptions } from './voices.ts';

const placeholders = { required: ['voice', 'speed', 'format'], optional: [], files: [] };

const format = z.enum(['mp3', 'opus', 'aac', 'flac', 'wav']);

const pcm = z.strictObject({
	/** Samples per second. */
	sampleRate: number().int().min(8_000).max(192_000),
	/** 1 for mono, 2 for stereo. */
	channels: z.union([z.literal(1), z.literal(2)]).default(1),
});

const speechOptions = {
	...voiceOptions,
	/** The languages that the program speaks, ISO 639-1, for `/v1/models`. */
	languages: z.array(z.string().min(1)).min(1).optional(),
	/** The formats that the program makes. The server converts `wav` to other formats. Unset: not known. */
	formats: z.array(format).min(1).optional(),
	/** The format of raw samples (signed 16-bit little-endian) when the program prints no header. */
	pcm: pcm.optional(),
};

const config = z
	.discriminatedUnion('protocol', [
		jsonProgram.extend(speechOptions),
		plainProgram(placeholders).extend({
			...speechOptions,
			/** The value of `{speed}` at the normal tempo: 175 when a program counts words per minute. */
			tempo: number().positive().default(1),
		}),
	])
	.refine(
		({ protocol, argv, voices, voicesFrom }) =>
			protocol === 'json' || voices || voicesFrom || !placeholdersIn(argv).has('voice'),
		{ path: ['argv'], message: '{voice} needs voices or voicesFrom: client text never becomes an argument' },
	);

type Config = z.output<typeof config>;
type Json = Extract<Config, { protocol: 'json' }>;
type Plain = Extract<Config, { protocol: 'plain' }>;

/** A program as a speech model: WAV, MP3, Opus, AAC, FLAC or raw samples, in its result file or streamed on stdout. */
export const commandSpeech = defineModel({
	kind: speechModels,
	name: 'command.speech',
	description: 'A program of the operator.',
	config,
	needs: { clock: services.clock },
	async create(context): Promise<SpeechModel> {
		const { config } = context;
		const { languages, formats, pcm } = config;
		const voices = await findVoices(config, context);
		const runs = new Runs(config, context);
		return {
			apiVersion: 1,
			// PCM samples are extracted from WAV.
			abilities: { languages, formats: pcm ? ['pcm'] : formats?.map((each) => (each === 'wav' ? 'pcm' : each)) },
			...(voices && { voices: () => [...voices.keys()] }),
			async speak(request, { signal }) {
				const voice = voices ? voices.get(request.voice) : request.voice;
				if (voice === undefined) throw invalidValue('voice', 'This model has no such voice.');
				return config.protocol === 'json'
					? runs.use(signal, (run) => requestSound(run, config, { ...request, voice }))
					: speak(runs, config, { ...request, voice }, signal);
			},
		};
	},
});

async function requestSound(run: Run, config: Json, request: SpeechRequest) {
	const { file = '', warnings } = await requestJson(run, config, { ...request, kind: 'speech' });
	const body = [await run.read(file)].values();
	return { ...(await readSound(body, config.pcm, (action) => run.failure(action))), warnings };
}

/** Settles after the first bytes. The run ends after the last bytes. */
async function speak(runs: Runs, config: Plain, request: SpeechRequest, signal: AbortSignal) {
	const { input: text, voice, format, instructions } = request;
	if (request.speed !== 1 && !placeholdersIn(config.argv).has('speed')) {
		throw unsupportedValue('speed', 'This model supports only speed 1.');
	}
	const warnings = warningsOf(config.argv, { instructions: instructions || undefined });
	const speed = Math.round(request.speed * config.tempo * 1_000) / 1_000;
	const run = await runs.open(signal);
	const printed = streamPlain(run, config, { text, values: { voice, speed, format }, output: `output.${format}` });
	// Not awaited: a reader that returns does not wait for the program to end.
	const body = withCleanup(printed, () => void run.close());
	try {
		return { ...(await readSound(body, config.pcm, (action) => run.failure(action))), warnings };
	} catch (error) {
		void run.close();
		throw error;
	}
}
