import { ModelFolder, tokensFile, type WeightsRule } from './folder.ts';
import type { Metadata } from './metadata.ts';

/** The families of recognizers. */
export const recognizerFamilies = ['whisper', 'moonshine', 'sense-voice'] as const;

export type RecognizerFamily = (typeof recognizerFamilies)[number];

/** What a folder of a recognizer holds. */
export type RecognizerFolder = Awaited<ReturnType<typeof openRecognizer>>;

/** The files of weights by the engine's own names. */
type Rules = Readonly<Record<string, WeightsRule>>;

const whisperFacts = ['n_mels', 'n_text_ctx', 'sot', 'eot', 'is_multilingual', 'sot_sequence'];
const senseVoiceFacts = ['vocab_size', 'lfr_window_size', 'lfr_window_shift', 'normalize_samples'];
const rules: Readonly<Record<RecognizerFamily, Rules>> = {
	whisper: {
		encoder: [/^[^/]*encoder[^/]*\.onnx$/, 'the encoder (tiny-encoder.onnx)', whisperFacts],
		decoder: [/^[^/]*decoder[^/]*\.onnx$/, 'the decoder (tiny-decoder.onnx)'],
	},
	moonshine: {
		preprocessor: [/^preprocess[^/]*\.onnx$/, 'preprocess.onnx'],
		encoder: [/^encode\.[^/]*onnx$/, 'encode.onnx'],
		uncachedDecoder: [/^uncached_decode[^/]*\.onnx$/, 'uncached_decode.onnx'],
		cachedDecoder: [/^cached_decode[^/]*\.onnx$/, 'cached_decode.onnx'],
	},
	'sense-voice': { model: [/^model[^/]*\.onnx$/, 'model.int8.onnx', senseVoiceFacts] },
};
const mergedDecoder = /^decoder_model_merged[^/]*\.(ort|onnx)$/;
const moonshine2: Rules = {
	encoder: [/^encoder_model[^/]*\.(ort|onnx)$/, 'encoder_model.ort'],
	mergedDecoder: [mergedDecoder, 'decoder_model_merged.ort'],
};

/** Checks the folder of a recognizer and reads its facts. Throws one error of all that is missing. */
export async function openRecognizer(path: string, base: string, family: RecognizerFamily) {
	const folder = new ModelFolder(path, base);
	const isSecond = family === 'moonshine' && folder.all(mergedDecoder) !== undefined;
	const files: Record<string, string | undefined> = {};
	const facts = new Map<string, string>();
	for (const [key, rule] of Object.entries(isSecond ? moonshine2 : rules[family])) {
		files[key] = await folder.weights(rule, facts);
	}
	const tokens = folder.file(tokensFile);
	folder.check(family);
	return { files, tokens, ...abilitiesOf(family, facts) };
}

function abilitiesOf(family: RecognizerFamily, facts: Metadata) {
	const isMultilingual = family === 'whisper' && facts.get('is_multilingual') === '1';
	const codes = facts.get('all_language_codes')?.split(',') ?? [];
	return {
		/** ISO 639-1 codes; undefined: not known. Cantonese has none: it is detected, and reported as Chinese. */
		languages: {
			moonshine: undefined,
			'sense-voice': ['zh', 'en', 'ja', 'ko'],
			whisper: isMultilingual ? codes.filter((code) => code.length === 2) : ['en'],
		}[family],
		translate: isMultilingual,
		/** Whether the times of words are known. Of Whisper, only exports with the weights of attention tell them. */
		words: family === 'sense-voice' || Number(facts.get('n_alignment_heads') ?? 0) > 0,
		/** Whether each result names a language. */
		tellsLanguage: isMultilingual || facts.has('lang_auto'),
	};
}
