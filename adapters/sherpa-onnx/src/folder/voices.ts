import { readFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { type FileRule, ModelFolder, tokensFile, type WeightsRule } from './folder.ts';
import type { Metadata } from './metadata.ts';

/** The families of voices. Piper voices are VITS models. */
export const voiceFamilies = ['kokoro', 'vits', 'kitten', 'matcha'] as const;

type VoiceFamily = (typeof voiceFamilies)[number];

const model = /^model[^/]*\.onnx$/;
const soundKeys = ['sample_rate', 'n_speakers'];
const weights: Readonly<Record<VoiceFamily, WeightsRule>> = {
	kokoro: [model, 'model.onnx', [...soundKeys, 'has_espeak', 'style_dim']],
	kitten: [model, 'model.fp16.onnx', [...soundKeys, 'has_espeak', 'style_dim', 'model_type']],
	matcha: [model, 'model-steps-3.onnx', [...soundKeys, 'language']],
	vits: [/^[^/]+\.onnx$/, 'model.onnx, or the .onnx file of a Piper voice,', [...soundKeys, 'language', 'comment']],
};
const vocoder: FileRule = [
	/^(vocos|hifigan)[^/]*\.onnx$/,
	'the vocoder (vocos-22khz-univ.onnx, or hifigan_v2.onnx, a separate download)',
];
const phonemes: FileRule = [/^espeak-ng-data\/phontab$/, 'espeak-ng-data/phontab'];
const lexicon: FileRule = [/^lexicon[^/]*\.txt$/, 'lexicon.txt'];

/** Checks a folder of voices and reads its metadata. Throws one error that lists all problems. */
export async function openVoices(path: string, base: string, family: VoiceFamily) {
	const folder = new ModelFolder(path, base);
	const metadata = new Map<string, string>();
	const model = await folder.weights(weights[family], metadata);
	const tokens = folder.file(tokensFile);
	const more = metadata.size > 0 ? await otherFiles(folder, family, metadata) : undefined;
	folder.check(family);
	return {
		/** The engine's options of the model: paths by its own names. */
		files: { [family === 'matcha' ? 'acousticModel' : 'model']: model, tokens, ...more },
		/** The engine's options besides the model: rules that spell out numbers and dates. */
		rules: { ruleFsts: folder.all(/^[^/]+\.fst$/), ruleFars: folder.all(/^[^/]+\.far$/) },
		sampleRate: Number(metadata.get('sample_rate')),
		/** Names in the order of the speakers' numbers. Without names, the numbers. */
		speakers: await speakersOf(metadata, `${model}.json`),
		supportsLanguage: family === 'kokoro' && more?.lexicon !== undefined,
	};
}

/** The other files that a model needs according to its metadata. */
async function otherFiles(folder: ModelFolder, family: VoiceFamily, metadata: Metadata) {
	const has = (key: string) => Number(metadata.get(key) ?? 0) !== 0;
	const isStyled = family === 'kokoro' || family === 'kitten';
	const isSpelled = metadata.get('frontend') === 'characters';
	const isPiper = /piper|coqui|icefall/.test(metadata.get('comment') ?? '');
	const hasPhonemes = isStyled || isPiper || has('has_espeak') || has('is_zh_en');
	// Kokoro from version 1.0 has several languages.
	const readsWords = has('jieba') || has('is_zh_en') || (family === 'kokoro' && Number(metadata.get('version')) >= 2);
	const hasLexicon = readsWords || (family === 'vits' && !hasPhonemes && !isSpelled);
	const hasVocoder = family === 'matcha' && metadata.get('need_vocoder') !== '0';
	const isKitten = metadata.get('model_type') === 'kitten-tts';
	if (isStyled && isKitten !== (family === 'kitten')) folder.problems.push('its .onnx file is of another family');
	return {
		voices: isStyled ? folder.file([/^voices\.bin$/, 'voices.bin']) : undefined,
		dataDir: hasPhonemes && !isSpelled ? dirname(folder.file(phonemes) ?? '') : undefined,
		lexicon: hasLexicon ? (folder.all(lexicon[0]) ?? folder.file(lexicon)) : undefined,
		vocoder: hasVocoder ? await folder.weights(vocoder) : undefined,
	};
}

/** Names from the model itself, or from the `.json` file beside a Piper voice. */
async function speakersOf(metadata: Metadata, json: string): Promise<readonly string[]> {
	const count = Math.max(1, Number(metadata.get('n_speakers')) || 1);
	const names = metadata.get('speaker_names')?.split(',') ?? (await piperNames(json));
	return Array.from({ length: count }, (_, id) => names[id]?.trim() || `${id}`);
}

async function piperNames(file: string): Promise<readonly string[]> {
	const names: string[] = [];
	try {
		const { speaker_id_map: ids } = JSON.parse(await readFile(file, 'utf8')) as { speaker_id_map?: object };
		for (const [name, id] of Object.entries(ids ?? {})) names[id] = name;
	} catch {
		// The engine does not need the file: names are a convenience.
	}
	return names;
}
