import { defineModel, invalidValue, modelError } from '@plinth/core';
import {
	type TranscriptionModel,
	type TranscriptionRequest,
	type TranscriptionSegment,
	transcriptionModels,
} from '@plinth/plugin-transcription/model';
import { z } from 'zod';
import { Engine, engineOptions } from './engine/engine.ts';
import { type Recognized, recognizerRate } from './engine/tasks.ts';
import {
	openRecognizer,
	type RecognizerFamily,
	type RecognizerFolder,
	recognizerFamilies,
} from './folder/recognizers.ts';
import { toWindows } from './windows.ts';
import { toWords } from './words.ts';

const config = z.strictObject({
	...engineOptions,
	/** The family of the model in the folder. */
	family: z.enum(recognizerFamilies),
});

/** A recognizer from a folder. Long audio is cut into windows, and the text of each is sent as soon as it is known. */
export const sherpaTranscription = defineModel({
	kind: transcriptionModels,
	name: 'sherpaOnnx.transcription',
	description: 'A recognizer in a folder of this server, run by sherpa-onnx.',
	config,
	async create(context): Promise<TranscriptionModel> {
		const { family, threads, folder } = context.config;
		const recognizer = await openRecognizer(folder, context.folder, family);
		const engine = new Engine(context);
		await engine.check();
		const { tokens, languages, translate, words, reportsLanguage } = recognizer;
		return {
			apiVersion: 1,
			abilities: { ...(languages && { languages }), translate, segments: true, words },
			unload: () => engine.unload(),
			async transcribe(request, run) {
				// An unknown language would end the process of the engine.
				if (request.language && languages && !languages.includes(request.language)) {
					throw invalidValue('language', `This model understands: ${languages.join(', ')}.`);
				}
				const results: WindowResult[] = [];
				let { language } = request;
				let text = '';
				for await (const { samples, start, end } of toWindows(request.audio.samples(recognizerRate), run.signal)) {
					const own = optionsOf(family, recognizer, request, language);
					const config = { modelConfig: { tokens, numThreads: threads, ...own } };
					const body = new Uint8Array(samples.buffer);
					const { value } = await engine.run({ kind: 'transcribe', config }, { body, signal: run.signal });
					const result = value as Recognized;
					// After an exception of the model, the engine returns an empty result.
					if (reportsLanguage && !result.lang) throw modelError('The model failed within a window of the audio.');
					language ??= toLanguage(result.lang);
					const windowText = result.text.trim();
					results.push({ ...result, text: windowText, start, end });
					if (windowText === '') continue;
					const delta = text === '' || language === 'zh' || language === 'ja' ? windowText : ` ${windowText}`;
					text += delta;
					run.delta(delta);
				}
				return { text, ...(language && { language }), ...detailsOf(request, results) };
			},
		};
	},
});

function optionsOf(
	family: RecognizerFamily,
	{ files, words }: RecognizerFolder,
	request: TranscriptionRequest,
	known = '',
) {
	const { language = 'auto', task, timestamps } = request;
	if (family === 'moonshine') return { moonshine: files };
	if (family === 'sense-voice') return { senseVoice: { ...files, language, useInverseTextNormalization: 1 } };
	const enableSegmentTimestamps = timestamps.includes('segment');
	const enableTokenTimestamps = words && timestamps.includes('word');
	// The first window determines the language, as in OpenAI's own program.
	const options = { language: known, task, tailPaddings: -1 };
	return { whisper: { ...files, ...options, enableSegmentTimestamps, enableTokenTimestamps } };
}

/** The engine's result for a window, and the times of the window. */
type WindowResult = Recognized & { readonly start: number; readonly end: number };

function detailsOf({ timestamps, prompt, temperature }: TranscriptionRequest, results: readonly WindowResult[]) {
	const ignored = [...(prompt ? ['the prompt'] : []), ...(temperature ? ['the temperature'] : [])];
	return {
		seconds: results.at(-1)?.end ?? 0,
		...(timestamps.includes('segment') && { segments: results.flatMap(toSegments) }),
		...(timestamps.includes('word') && { words: results.flatMap(toWords) }),
		warnings: ignored.map((what) => `This model ignores ${what}.`),
	};
}

/** The segments that the engine reports, or the whole window. */
function toSegments({ start, end, text, ...result }: WindowResult): readonly TranscriptionSegment[] {
	const { segment_texts: texts = [], segment_timestamps: starts = [], segment_durations: lengths = [] } = result;
	if (texts.length === 0) return text === '' ? [] : [{ start, end, text }];
	return texts.map((part, at) => {
		const from = Math.min(end, start + (starts[at] ?? 0));
		return { start: from, end: Math.min(end, from + (lengths[at] ?? 0)), text: part.trim() };
	});
}

/** `<|en|>` and `en` mean the same. ISO 639-1 has no code for Cantonese. */
function toLanguage(tag = ''): string | undefined {
	const code = tag.replace(/[<|>]/g, '').replace('yue', 'zh');
	return /^[a-z]{2}$/.test(code) ? code : undefined;
}
