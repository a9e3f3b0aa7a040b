import { readFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { type FileRule, ModelFolder, tokensFile, type WeightsRule } from './folder.ts';
import type { Metadata } from './metadata.ts';

/** The families of voices. Piper voices are VITS models. */
export const voiceFamilies = ['kokoro', 'vits', 'kitten', 'matcha'] as const;

type VoiceFamily = (typeof voiceFamilies)[number];

const model = /^model[^/]*\.onnx$/;
const sound = ['sample_rate', 'n_speakers'];
const weights: Readonly<Record<VoiceFamily, WeightsRule>> = {
	kokoro: [model, 'model.onnx', [...sound, 'has_espeak', 'style_dim']],
	kitten: [model, 'model.fp16.onnx', [...sound, 'has_espeak', 'style_dim', 'model_type']],
	matcha: [model, 'model-steps-3.onnx', [...sound, 'language']],
	vits: [/^[^/]+\.onnx$/, 'model.onnx, or the .onnx file of a Piper voice,', [...sound, 'language', 'comment']],
};
const vocoder: FileRule = [
	/^(vocos|hifigan)[^/]*\.onnx$/,
	'the vocoder (vocos-22khz-univ.onnx, or hifigan_v2.onnx, a download of its own)',
];
const phonemes: FileRule = [/^espeak-ng-data\/phontab$/, 'espeak-ng-data/phontab'];
const lexicon: FileRule = [/^lexicon[^/]*\.txt$/, 'lexicon.txt'];

/** Checks a folder of voices and reads its facts. Throws one error of all that is missing. */
export async function openVoices(path: string, base: string, family: VoiceFamily) {
	const folder = new ModelFolder(path, base);
	const facts = new Map<string, string>();
	const model = await folder.weights(weights[family], facts);
	const tokens = folder.file(tokensFile);
	const more = facts.size > 0 ? await otherFiles(folder, family, facts) : undefined;
	folder.check(family);
	return {
		/** The engine's options of the model: paths by its own names. */
		files: { [family === 'matcha' ? 'acousticModel' : 'model']: model, tokens, ...more },
		/** Its options beside the model: rules that spell out numbers and dates. */
		rules: { ruleFsts: folder.all(/^[^/]+\.fst$/), ruleFars: folder.all(/^[^/]+\.far$/) },
		sampleRate: Number(facts.get('sample_rate')),
		/** Names in the order of the speakers' numbers. Without names, the numbers. */
		speakers: await speakersOf(facts, `${model}.json`),
		takesLanguage: family === 'kokoro' && more?.lexicon !== undefined,
	};
}

/** The files that a model needs besides, as its metadata tells. */
async function otherFiles(folder: ModelFolder, family: VoiceFamily, facts: Metadata) {
	const is = (key: string) => Number(facts.get(key) ?? 0) !== 0;
	const isStyled = family === 'kokoro' || family === 'kitten';
	const isSpelled = facts.get('frontend') === 'characters';
	const isPiper = /piper|coqui|icefall/.test(facts.get('comment') ?? '');
	const hasPhonemes = isStyled || isPiper || is('has_espeak') || is('is_zh_en');
	// Kokoro from version 1.0 has several languages.
	const readsWords = is('jieba') || is('is_zh_en') || (family === 'kokoro' && Number(facts.get('version')) >= 2);
	const hasLexicon = readsWords || (family === 'vits' && !hasPhonemes && !isSpelled);
	const hasVocoder = family === 'matcha' && facts.get('need_vocoder') !== '0';
	const isKitten = facts.get('model_type') === 'kitten-tts';
	if (isStyled && isKitten !== (family === 'kitten')) folder.problems.push('its .onnx file is of another family');
	return {
		voices: isStyled ? folder.file([/^voices\.bin$/, 'voices.bin']) : undefined,
		dataDir: hasPhonemes && !isSpelled ? dirname(folder.file(phonemes) ?? '') : undefined,
		lexicon: hasLexicon ? (folder.all(lexicon[0]) ?? folder.file(lexicon)) : undefined,
		vocoder: hasVocoder ? await folder.weights(vocoder) : undefined,
	};
}

/** Names from the model itself, or from the `.json` file beside a Piper voice. */
async function speakersOf(facts: Metadata, json: string): Promise<readonly string[]> {
	const count = Math.max(1, Number(facts.get('n_speakers')) || 1);
	const names = facts.get('speaker_names')?.split(',') ?? (await piperNames(json));
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
