import { defineModel, services } from '@plinth/core';
import {
	type TranscriptionModel,
	type TranscriptionRequest,
	transcriptionModels,
} from '@plinth/plugin-transcription/model';
import { z } from 'zod';
import { connectionOptions, flag } from '../options.ts';
import { openUpstream } from '../upstream/open.ts';
import { formFields, withExtras } from '../upstream/request.ts';
import { streamedResult, wholeResult } from './result.ts';

/** Whether OpenAI's model streams its text; the models of vLLM do. */
const dialects = { openai: (model: string) => !isWhisper(model), 'vllm-omni': () => true };

/** Of OpenAI's models, only Whisper reports times and translates. */
const isWhisper = (model: string) => /whisper/i.test(model);

const config = z.strictObject({
	...connectionOptions(dialects, { dialect: 'openai', timeoutSeconds: 600 }),
	/** The languages that the model understands, ISO 639-1. Unless set, every language is sent to the server. */
	languages: z
		.array(z.string().regex(/^[a-z]{2,3}$/))
		.min(1)
		.optional(),
	/** The times that the model reports: `segment`, `word`. Default: both for models with `whisper` in their name. */
	timestamps: z.array(z.enum(['segment', 'word'])).optional(),
	/** Whether the model translates into English. Default: models with `whisper` in their name do. */
	translate: flag().optional(),
	/** Whether the model streams its text. Default: by `openai`, models without `whisper` in their name do. */
	stream: flag().optional(),
});

/** Parameters of the client that an error may name. */
const params: ReadonlySet<string> = new Set([
	'file',
	'language',
	'prompt',
	'temperature',
	'response_format',
	'timestamp_granularities',
]);

/** A transcription model on a server with `/audio/transcriptions`, and `/audio/translations` where it translates. */
export const openaiTranscription = defineModel({
	kind: transcriptionModels,
	name: 'openai.transcription',
	description: 'A model on another server, called through its OpenAI-compatible API.',
	ownedBy: 'openai-compatible',
	config,
	needs: { clock: services.clock },
	create(context): TranscriptionModel {
		const { config, id } = context;
		const { body: extras, dialect, languages, model = id } = config;
		const { translate = isWhisper(model), stream: streams = dialects[dialect](model) } = config;
		const { timestamps = isWhisper(model) ? ['segment', 'word'] : [] } = config;
		const upstream = openUpstream(context);
		return {
			apiVersion: 1,
			...upstream.unloading,
			abilities: { languages, translate, segments: timestamps.includes('segment'), words: timestamps.includes('word') },
			async transcribe(request, { signal, delta }) {
				const answer = await upstream.send({
					method: 'POST',
					path: request.task === 'translate' ? '/audio/translations' : '/audio/transcriptions',
					body: { form: [...formFields(withExtras(wireFields(request, model, streams), extras)), ...filesOf(request)] },
					params,
					// A repeated request costs money again.
					isCostly: true,
					signal,
				});
				return answer.mediaType === 'text/event-stream' ? streamedResult(answer, delta) : wholeResult(answer);
			},
		};
	},
});

function wireFields(request: TranscriptionRequest, model: string, streams: boolean) {
	const { task, language, prompt, temperature, timestamps } = request;
	const isPlain = timestamps.length === 0;
	return {
		...{ model, prompt, temperature, response_format: isPlain ? 'json' : 'verbose_json' },
		language: task === 'translate' ? undefined : language,
		stream: streams && isPlain && task === 'transcribe' ? true : undefined,
	};
}

/** The other parts of the form. The file is last, so that a server reads the name of the model before the file. */
function filesOf({ audio: { path, name: filename, mediaType }, timestamps }: TranscriptionRequest) {
	const times = timestamps.map((value) => ({ name: 'timestamp_granularities[]', value }));
	return [...times, { name: 'file', file: { path }, filename, mediaType }];
}
