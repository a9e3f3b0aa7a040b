import { mkdtemp, rename, rm, truncate, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { openRecognizer } from '../src/folder/recognizers.ts';
import { openVoices } from '../src/folder/voices.ts';
import { writeMoonshine, writeSenseVoice, writeWhisper } from './tiny/recognizers.ts';
import { letters, piperMetadata, writeFolder, writeMatcha, writePiper, writeStyled, writeVits } from './tiny/voices.ts';

let dir: string;

beforeEach(async () => {
	dir = await mkdtemp(join(tmpdir(), 'plinth-test-folders-'));
});

afterEach(() => rm(dir, { recursive: true, force: true }));

/** The files of espeak-ng's data that the check requires. */
const phonemes = { 'espeak-ng-data/phontab': 'phonemes' };

describe('a folder of voices', () => {
	test('with VITS has its weights and tokens, and numbered voices', async () => {
		await writeVits(dir);
		expect(await openVoices(dir, '/', 'vits')).toMatchObject({
			files: { model: join(dir, 'model.onnx'), tokens: join(dir, 'tokens.txt') },
			rules: {},
			sampleRate: 16_000,
			speakers: ['0', '1', '2'],
			supportsLanguage: false,
		});
	});

	test('is resolved from the folder of the config', async () => {
		await writeVits(join(dir, 'voices/tiny'));
		const { files } = await openVoices('./voices/tiny', dir, 'vits');
		expect(files).toMatchObject({ model: join(dir, 'voices/tiny/model.onnx') });
	});

	test('with Piper has phonemes, and names from its JSON file', async () => {
		await writePiper(dir);
		await expect(openVoices(dir, '/', 'vits')).rejects.toThrow('espeak-ng-data/phontab is missing');
		await writeFolder(dir, { 'espeak-ng-data/phontab': '' });
		await expect(openVoices(dir, '/', 'vits')).rejects.toThrow('espeak-ng-data/phontab is empty');
		await writeFolder(dir, phonemes);
		const { files, speakers } = await openVoices(dir, '/', 'vits');
		expect(speakers).toEqual(['ada', '1', 'bo']);
		expect(files).toMatchObject({ model: join(dir, 'en_US-tiny.onnx'), dataDir: join(dir, 'espeak-ng-data') });
		await writeFile(join(dir, 'en_US-tiny.onnx.json'), 'not JSON');
		expect(await openVoices(dir, '/', 'vits')).toMatchObject({ speakers: ['0', '1', '2'] });
	});

	test('with a word-based VITS voice needs a lexicon, and includes rules', async () => {
		await writeVits(dir, { frontend: '' });
		await expect(openVoices(dir, '/', 'vits')).rejects.toThrow('lexicon.txt is missing');
		await writeFolder(dir, { 'lexicon.txt': 'hello h', 'date.fst': 'x', 'number.fst': 'x', 'rule.far': 'x' });
		const { files, rules } = await openVoices(dir, '/', 'vits');
		expect(files.lexicon).toBe(join(dir, 'lexicon.txt'));
		expect(rules).toEqual({
			ruleFsts: `${join(dir, 'date.fst')},${join(dir, 'number.fst')}`,
			ruleFars: join(dir, 'rule.far'),
		});
	});

	test.each(['kokoro', 'kitten'] as const)('with %s has names of speakers', async (family) => {
		await writeStyled(dir, family);
		await writeFolder(dir, phonemes);
		const { files, speakers } = await openVoices(dir, '/', family);
		expect(speakers).toEqual(['ada', 'bo']);
		expect(files).toMatchObject({ voices: join(dir, 'voices.bin'), dataDir: join(dir, 'espeak-ng-data') });
		await truncate(join(dir, 'voices.bin'), 0);
		await expect(openVoices(dir, '/', family)).rejects.toThrow('voices.bin is empty');
		await rm(join(dir, 'voices.bin'));
		await expect(openVoices(dir, '/', family)).rejects.toThrow('voices.bin is missing');
	});

	test('with Kokoro from 1.0 has lexicons and accepts a language', async () => {
		await writeStyled(dir, 'kokoro', { version: 2 });
		await writeFolder(dir, phonemes);
		await expect(openVoices(dir, '/', 'kokoro')).rejects.toThrow('lexicon.txt is missing');
		await writeFolder(dir, { 'lexicon-us-en.txt': 'x', 'lexicon-zh.txt': 'x' });
		const { files, supportsLanguage } = await openVoices(dir, '/', 'kokoro');
		expect(supportsLanguage).toBe(true);
		expect(files.lexicon).toBe(`${join(dir, 'lexicon-us-en.txt')},${join(dir, 'lexicon-zh.txt')}`);
	});

	test('with Matcha has a vocoder', async () => {
		await writeMatcha(dir);
		await writeFolder(dir, phonemes);
		const { files } = await openVoices(dir, '/', 'matcha');
		expect(files).toMatchObject({
			acousticModel: join(dir, 'model-steps-3.onnx'),
			vocoder: join(dir, 'hifigan_v2.onnx'),
		});
		await rm(join(dir, 'hifigan_v2.onnx'));
		await expect(openVoices(dir, '/', 'matcha')).rejects.toThrow('the vocoder (vocos-22khz-univ.onnx');
	});

	test('with 8-bit and other weights uses the 8-bit ones', async () => {
		await writeVits(dir);
		await writeVits(join(dir, 'small'));
		await rename(join(dir, 'small/model.onnx'), join(dir, 'model.int8.onnx'));
		const { files } = await openVoices(dir, '/', 'vits');
		expect(files).toMatchObject({ model: join(dir, 'model.int8.onnx') });
	});

	test('with several weights is rejected', async () => {
		await writeVits(dir);
		await writeVits(join(dir, 'other'));
		await rename(join(dir, 'other/model.onnx'), join(dir, 'voice.onnx'));
		await expect(openVoices(dir, '/', 'vits')).rejects.toThrow('model.onnx and voice.onnx are there: keep one');
	});

	test('with an unknown family is rejected', async () => {
		await writeStyled(dir, 'kitten');
		await writeFolder(dir, phonemes);
		await expect(openVoices(dir, '/', 'kokoro')).rejects.toThrow('its .onnx file is of another family');
		await writeVits(dir, piperMetadata);
		await expect(openVoices(dir, '/', 'kokoro')).rejects.toThrow('the metadata of model.onnx lacks style_dim');
	});
});

describe('an invalid folder', () => {
	test('is reported with all problems, the path and the remedy', async () => {
		await writeFolder(dir, { 'model.onnx': '', 'readme.txt': 'x' });
		const problems = `${dir} is not a complete vits model: model.onnx is empty; tokens.txt is missing.`;
		const remedy = ' Unpack the archive of the model again, or choose the family that the folder holds.';
		await expect(openVoices(dir, '/', 'vits')).rejects.toThrow(problems + remedy);
	});

	test('that does not exist is reported, with the note that nothing is downloaded', async () => {
		const missing = openVoices('./kokoro', dir, 'kokoro');
		await expect(missing).rejects.toThrow(`${dir}/kokoro is not a readable folder.`);
		await expect(missing).rejects.toThrow('Nothing is downloaded.');
	});

	test.each([
		['version https://git-lfs.github.com/spec/v1\noid sha256:4d7a\nsize 311', 'is only a Git LFS pointer'],
		['<!doctype html><title>Not found</title>', 'is not an ONNX file'],
		['\0\0', 'is not an ONNX file'],
		[Buffer.from([8, 8, 0x3a, 0xff, 0xff, 0x7f, 1]), 'is not a whole ONNX file'],
	])('with something else than weights is reported: %#', async (content, told) => {
		await writeFolder(dir, { 'model.onnx': content, 'tokens.txt': letters });
		await expect(openVoices(dir, '/', 'vits')).rejects.toThrow(`model.onnx ${told}`);
	});

	test('with half of the weights is rejected', async () => {
		await writeVits(dir);
		await truncate(join(dir, 'model.onnx'), 400);
		await expect(openVoices(dir, '/', 'vits')).rejects.toThrow('model.onnx is not a whole ONNX file');
	});
});

describe('a folder of a recognizer', () => {
	test('with Whisper has its languages', async () => {
		await writeWhisper(dir);
		expect(await openRecognizer(dir, '/', 'whisper')).toEqual({
			files: { encoder: join(dir, 'tiny-encoder.onnx'), decoder: join(dir, 'tiny-decoder.onnx') },
			tokens: join(dir, 'tiny-tokens.txt'),
			languages: ['en', 'de'],
			translate: true,
			words: false,
			reportsLanguage: true,
		});
		await writeWhisper(dir, { n_alignment_heads: 6, all_language_codes: 'en,haw,yue' });
		expect(await openRecognizer(dir, '/', 'whisper')).toMatchObject({ languages: ['en'], words: true });
		await rm(join(dir, 'tiny-decoder.onnx'));
		await expect(openRecognizer(dir, '/', 'whisper')).rejects.toThrow('the decoder (tiny-decoder.onnx) is missing');
	});

	test('with SenseVoice has one file of weights', async () => {
		await writeSenseVoice(dir);
		const { files, words, translate } = await openRecognizer(dir, '/', 'sense-voice');
		expect({ files, words, translate }).toEqual({
			files: { model: join(dir, 'model.onnx') },
			words: true,
			translate: false,
		});
		await writeVits(dir);
		await expect(openRecognizer(dir, '/', 'sense-voice')).rejects.toThrow(
			'the metadata of model.onnx lacks vocab_size',
		);
	});

	test('with Moonshine has four files, or two', async () => {
		await writeMoonshine(join(dir, 'first'));
		const first = await openRecognizer('first', dir, 'moonshine');
		expect(Object.keys(first.files).sort()).toEqual(['cachedDecoder', 'encoder', 'preprocessor', 'uncachedDecoder']);
		const ort = Buffer.from('\x20\0\0\0ORTM\0\0\0\0');
		await writeFolder(join(dir, 'second'), {
			'encoder_model.ort': ort,
			'decoder_model_merged.ort': ort,
			'tokens.txt': 'x 0',
		});
		const second = await openRecognizer('second', dir, 'moonshine');
		expect(Object.keys(second.files).sort()).toEqual(['encoder', 'mergedDecoder']);
		await rm(join(dir, 'first/cached_decode.int8.onnx'));
		await expect(openRecognizer('first', dir, 'moonshine')).rejects.toThrow('cached_decode.onnx is missing');
	});
});
