import { defineModel, invalidValue } from '@plinth/core';
import { type SpeechModel, speechModels } from '@plinth/plugin-speech/model';
import { awaitFirst } from '@plinth/toolkit';
import { z } from 'zod';
import { Engine, engineOptions } from './engine/engine.ts';
import { openVoices, voiceFamilies } from './folder/voices.ts';
import { toPieces } from './pieces.ts';

const config = z.strictObject({
	...engineOptions,
	/** The family of the model in the folder. Piper voices are of the family `vits`. */
	family: z.enum(voiceFamilies),
	/** The language of the texts, for Kokoro from version 1.0: `en-us`, `es`, `fr`. */
	language: z.string().optional(),
});

/** A voice from a folder. Each sentence is sent as soon as it is spoken. */
export const sherpaSpeech = defineModel({
	kind: speechModels,
	name: 'sherpaOnnx.speech',
	description: 'A voice in a folder of this server, spoken by sherpa-onnx.',
	config,
	async create(context): Promise<SpeechModel> {
		const { family, language, threads, folder } = context.config;
		const { files, rules, speakers, sampleRate, supportsLanguage } = await openVoices(folder, context.folder, family);
		if (language !== undefined && !supportsLanguage) {
			throw new Error('Only Kokoro from version 1.0 supports a language. Remove the option language.');
		}
		const engine = new Engine(context);
		await engine.check();
		const model = { [family]: { ...files, lang: language }, numThreads: threads };
		const config = { model, maxNumSentences: 1, ...rules };
		return {
			apiVersion: 1,
			// The first two letters of a language are its ISO 639-1 code.
			abilities: { formats: ['pcm'], languages: language ? [language.slice(0, 2)] : undefined },
			voices: () => speakers,
			unload: () => engine.unload(),
			async speak({ input, voice, speed, instructions, isCustomVoice }, { signal }) {
				const index = speakers.indexOf(voice);
				const speaker = index >= 0 ? index : speakers.findIndex((_, number) => `${number}` === voice);
				if (speaker < 0 || isCustomVoice) throw invalidValue('voice', 'This model has no such voice.');
				const speak = (text: string) => engine.run({ kind: 'speak', config, text, speaker, speed }, { signal });
				const body = await awaitFirst(speakPieces(input, speak), Boolean, nothingSpoken);
				const warnings = instructions ? ['This model ignores instructions.'] : [];
				return { mediaType: 'audio/pcm', channels: 1, sampleRate, body, warnings };
			},
		};
	},
});

/** Speaks the pieces in order. Each one starts after the audio of the previous one has been read. */
async function* speakPieces(text: string, speak: (piece: string) => Promise<{ readonly body: Uint8Array }>) {
	for (const piece of toPieces(text)) {
		const { body } = await speak(piece);
		if (body.byteLength > 0) yield body;
	}
}

const nothingSpoken = () => invalidValue('input', 'The voice cannot speak any part of this text.');
