import { ModelFolder, tokensFile, type WeightsRule } from './folder.ts';
import type { Metadata } from './metadata.ts';

/** The families of recognizers. */
export const recognizerFamilies = ['whisper', 'moonshine', 'sense-voice'] as const;

export type RecognizerFamily = (typeof recognizerFamilies)[number];

/** The contents of a recognizer's folder. */
export type RecognizerFolder = Awaited<ReturnType<typeof openRecognizer>>;

/** The files of weights by the engine's own names. */
type Rules = Readonly<Record<string, WeightsRule>>;

const whisperKeys = ['n_mels', 'n_text_ctx', 'sot', 'eot', 'is_multilingual', 'sot_sequence'];
const senseVoiceKeys = ['vocab_size', 'lfr_window_size', 'lfr_window_shift', 'normalize_samples'];
const rules: Readonly<Record<RecognizerFamily, Rules>> = {
	whisper: {
		encoder: [/^[^/]*encoder[^/]*\.onnx$/, 'the encoder (tiny-encoder.onnx)', whisperKeys],
		decoder: [/^[^/]*decoder[^/]*\.onnx$/, 'the decoder (tiny-decoder.onnx)'],
	},
	moonshine: {
		preprocessor: [/^preprocess[^/]*\.onnx$/, 'preprocess.onnx'],
		encoder: [/^encode\.[^/]*onnx$/, 'encode.onnx'],
		uncachedDecoder: [/^uncached_decode[^/]*\.onnx$/, 'uncached_decode.onnx'],
		cachedDecoder: [/^cached_decode[^/]*\.onnx$/, 'cached_decode.onnx'],
	},
	'sense-voice': { model: [/^model[^/]*\.onnx$/, 'model.int8.onnx', senseVoiceKeys] },
};
const mergedDecoder = /^decoder_model_merged[^/]*\.(ort|onnx)$/;
const moonshine2: Rules = {
	encoder: [/^encoder_model[^/]*\.(ort|onnx)$/, 'encoder_model.ort'],
	mergedDecoder: [mergedDecoder, 'decoder_model_merged.ort'],
};

/** Checks the folder of a recognizer and reads its metadata. Throws one error that lists all problems. */
export async function openRecognizer(path: string, base: string, family: RecognizerFamily) {
	const folder = new ModelFolder(path, base);
	const isSecond = family === 'moonshine' && folder.all(mergedDecoder) !== undefined;
	const files: Record<string, string | undefined> = {};
	const metadata = new Map<string, string>();
	for (const [key, rule] of Object.entries(isSecond ? moonshine2 : rules[family])) {
		files[key] = await folder.weights(rule, metadata);
	}
	const tokens = folder.file(tokensFile);
	folder.check(family);
	return { files, tokens, ...abilitiesOf(family, metadata) };
}

function abilitiesOf(family: RecognizerFamily, metadata: Metadata) {
	const isMultilingual = family === 'whisper' && metadata.get('is_multilingual') === '1';
	const codes = metadata.get('all_language_codes')?.split(',') ?? [];
	return {
		/** ISO 639-1 codes; undefined: not known. Cantonese has none: it is detected, and reported as Chinese. */
		languages: {
			moonshine: undefined,
			'sense-voice': ['zh', 'en', 'ja', 'ko'],
			whisper: isMultilingual ? codes.filter((code) => code.length === 2) : ['en'],
		}[family],
		translate: isMultilingual,
		/** Whether the times of words are known. Of Whisper, only exports with attention weights report them. */
		words: family === 'sense-voice' || Number(metadata.get('n_alignment_heads') ?? 0) > 0,
		/** Whether each result names a language. */
		reportsLanguage: isMultilingual || metadata.has('lang_auto'),
	};
}
