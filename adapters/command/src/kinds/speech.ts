import { defineModel, invalidValue, services, unsupportedValue } from '@plinth/core';
import {
	type EncodedAudio,
	type PcmAudio,
	type SpeechModel,
	type SpeechRequest,
	speechModels,
} from '@plinth/plugin-speech/model';
import { z } from 'zod';
import { placeholdersIn } from '../protocol/argv.ts';
import { runJson } from '../protocol/json.ts';
import { jsonProgram, plainProgram } from '../protocol/options.ts';
import { startPlain } from '../protocol/plain.ts';
import type { Run } from '../run/run.ts';
import { createRuns, type Runs } from '../run/runs.ts';
import { readSound } from './sound.ts';
import { findVoices, voiceOptions } from './voices.ts';

const placeholders = {
	required: ['voice', 'speed', 'format'],
	optional: [],
	files: [],
};

// Configs in YAML hold `${NAME}`, which arrives as a string.
const number = () => z.coerce.number<number | string>();

const speechOptions = {
	...voiceOptions,
	/** The format of raw samples (signed 16-bit little-endian) when the program prints no header. */
	pcm: z
		.strictObject({
			/** Samples per second. */
			sampleRate: number().int().min(8_000).max(192_000),
			/** 1 for mono, 2 for stereo. */
			channels: z.union([z.literal(1), z.literal(2)]).default(1),
		})
		.optional(),
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
	.superRefine((options, context) => {
		const isNamed = options.protocol === 'plain' && placeholdersIn(options.argv).has('voice');
		if (!isNamed || options.voices || options.voicesFrom) return;
		const message = '{voice} needs voices or voicesFrom: client text never becomes an argument';
		context.addIssue({ code: 'custom', path: ['argv'], message });
	});

type Config = z.output<typeof config>;
type Sound = PcmAudio | EncodedAudio;

/** A program as a speech model: WAV, MP3, Opus, AAC, FLAC or raw samples, in its result file or streamed on stdout. */
export const commandSpeech = defineModel({
	kind: speechModels,
	name: 'command.speech',
	description: 'A program of the operator.',
	config,
	needs: { clock: services.clock },
	async create(context): Promise<SpeechModel> {
		const { config } = context;
		const voices = await findVoices(config, context);
		const runs = createRuns(config, context);
		return {
			apiVersion: 1,
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

async function requestSound(
	run: Run,
	config: Extract<Config, { protocol: 'json' }>,
	request: SpeechRequest,
): Promise<Sound> {
	const warnings: string[] = [];
	for await (const message of runJson(run, config, { ...request, kind: 'speech' })) {
		if (message.type === 'warning') warnings.push(message.message);
		if (message.type !== 'result') continue;
		const sound = await readSound(single(await run.read(message.file ?? '')), config.pcm, (action) =>
			run.failure(action),
		);
		return { ...sound, warnings };
	}
	throw new Error('The messages of a program end with a result.');
}

/** Settles with the first bytes; the run ends with the last ones. */
async function speak(
	runs: Runs,
	config: Extract<Config, { protocol: 'plain' }>,
	request: SpeechRequest,
	signal: AbortSignal,
): Promise<Sound> {
	const warnings = ignoredOptions(config, request);
	const run = await runs.open(signal);
	const printed = print(run, config, request);
	try {
		return { ...(await readSound(printed, config.pcm, (action) => run.failure(action))), warnings };
	} catch (error) {
		void run.close();
		run.signal.throwIfAborted();
		throw error;
	}
}

async function* print(
	run: Run,
	config: Extract<Config, { protocol: 'plain' }>,
	{ input, voice, speed, format }: SpeechRequest,
): AsyncGenerator<Buffer> {
	const output = `output.${format}`;
	const tempo = Math.round(speed * config.tempo * 1_000) / 1_000;
	const values = { voice, speed: tempo, format };
	const writesFile = placeholdersIn(config.argv).has('output');
	try {
		const program = await startPlain(run, config, { text: input, values, output });
		for await (const chunk of program.stdout()) if (!writesFile) yield chunk;
		await program.waitForSuccess();
		if (writesFile) yield await run.read(output);
	} finally {
		// Not awaited: a reader that returns does not wait for the program to end.
		void run.close();
	}
}

/** Throws for an unsupported speed; ignored instructions become a warning. */
function ignoredOptions(
	{ argv }: Extract<Config, { protocol: 'plain' }>,
	{ speed, instructions }: SpeechRequest,
): readonly string[] {
	if (speed !== 1 && !placeholdersIn(argv).has('speed')) {
		throw unsupportedValue('speed', 'This model supports only speed 1.');
	}
	return instructions ? ['This model ignores instructions.'] : [];
}

async function* single(bytes: Buffer): AsyncGenerator<Buffer> {
	yield bytes;
}
