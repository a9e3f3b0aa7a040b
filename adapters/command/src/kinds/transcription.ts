import { defineModel, services } from '@plinth/core';
import { type TranscriptionModel, transcriptionModels } from '@plinth/plugin-transcription/model';
import { z } from 'zod';
import { warningsOf } from '../protocol/argv.ts';
import { requestJson } from '../protocol/json.ts';
import { type JsonProgram, jsonProgram, number, type PlainProgram, plainProgram } from '../protocol/options.ts';
import { runPlain } from '../protocol/plain.ts';
import type { Run } from '../run/run.ts';
import { Runs } from '../run/runs.ts';
import { writeWav } from './wav.ts';

const common = {
	/** The program gets WAV with 16 bits and one channel at this rate. Absent: it gets the file as the client sent it. */
	sampleRate: number().int().min(8_000).max(192_000).optional(),
	/** The languages that the program understands, ISO 639-1. Absent: any. */
	languages: z.array(z.string()).min(1).optional(),
};

const config = z.discriminatedUnion('protocol', [
	jsonProgram.extend({
		...common,
		/** The times that the program reports: `segment`, `word`. */
		timestamps: z.array(z.enum(['segment', 'word'])).default([]),
		/** Whether it translates into English. */
		translate: z.boolean().default(false),
	}),
	plainProgram({ required: ['audio'], optional: ['language', 'temperature'], files: [] }).extend(common),
]);

/** A program as a transcription model: by messages of the JSON protocol, or with UTF-8 text on stdout. */
export const commandTranscription = defineModel({
	kind: transcriptionModels,
	name: 'command.transcription',
	description: 'A program of the operator.',
	config,
	needs: { clock: services.clock },
	create(context): TranscriptionModel {
		const { config } = context;
		const { languages, sampleRate } = config;
		const timestamps: readonly string[] = config.protocol === 'json' ? config.timestamps : [];
		const translate = config.protocol === 'json' && config.translate;
		const runs = new Runs(config, context);
		const times = { segments: timestamps.includes('segment'), words: timestamps.includes('word') };
		return {
			apiVersion: 1,
			abilities: { ...(languages && { languages }), ...times, translate },
			transcribe: ({ audio: file, ...request }, { signal, delta }) =>
				runs.use(signal, async (run) => {
					const audio = sampleRate ? 'audio.wav' : file.name;
					if (sampleRate) await writeWav(run.folder, audio, file, sampleRate);
					else await run.folder.write(audio, { path: file.path });
					const named = { ...request, audio };
					return config.protocol === 'json' ? requestText(run, config, named, delta) : readOutput(run, config, named);
				}),
		};
	},
});

type NamedRequest = Omit<Parameters<TranscriptionModel['transcribe']>[0], 'audio'> & { readonly audio: string };

async function requestText(run: Run, program: JsonProgram, request: NamedRequest, onDelta: (text: string) => void) {
	const result = await requestJson(run, program, { ...request, kind: 'transcription' }, (message) => {
		if (message.type === 'delta') onDelta(message.text);
	});
	const { text, language, duration: seconds, segments, words, warnings } = result;
	if (text === undefined) throw run.failure('returned a result without a text');
	return { text, language, seconds, segments, words, warnings };
}

async function readOutput(run: Run, program: PlainProgram, request: NamedRequest) {
	const { audio, prompt: text = '', language, temperature } = request;
	const values = { audio, language, temperature };
	const printed = await runPlain(run, program, { text, values, output: 'output.txt' });
	return { text: printed.toString().trim(), warnings: warningsOf(program.argv, values) };
}
