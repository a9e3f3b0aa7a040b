import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createModel } from '@plinth/testing';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { sherpaOnnx } from '../src/index.ts';
import { writeSenseVoice } from './tiny/recognizers.ts';
import { writeFolder, writeStyled, writeVits } from './tiny/voices.ts';

let folder: string;

beforeAll(async () => {
	folder = await mkdtemp(join(tmpdir(), 'plinth-test-models-'));
	await writeVits(join(folder, 'voice'));
	await writeSenseVoice(join(folder, 'ear'));
});

afterAll(() => rm(folder, { recursive: true, force: true }));

test('a model does not start without the package, and the error has two remedies', async () => {
	const speech = createModel(sherpaOnnx.speech({ folder: 'voice', family: 'vits' }), { folder });
	await expect(speech).rejects.toThrow(
		`The package sherpa-onnx-node is not installed beside ${folder}. ` +
			'Run npm install sherpa-onnx-node@1.13 there, or choose another adapter for the model.',
	);
	const transcription = createModel(sherpaOnnx.transcription({ folder: 'ear', family: 'sense-voice' }), { folder });
	await expect(transcription).rejects.toThrow('is not installed beside');
});

test('a model does not start when the package fails to load, and the error has two remedies', async () => {
	const installed = join(folder, 'damaged');
	await mkdir(installed);
	await writeFolder(join(installed, 'node_modules/sherpa-onnx-node'), {
		'package.json': JSON.stringify({ name: 'sherpa-onnx-node', main: 'index.js' }),
		'index.js': "throw new Error('Could not find sherpa-onnx-node. Tried five places');",
	});
	const options = { folder: join(folder, 'voice'), family: 'vits' } as const;
	const speech = createModel(sherpaOnnx.speech(options), { folder: installed });
	await expect(speech).rejects.toThrow(/does not load: .*Tried five places.*Install it again .*, or choose another/);
});

test('a language is accepted only by a family that has languages', async () => {
	const options = { folder: 'voice', family: 'vits', language: 'es' } as const;
	await expect(createModel(sherpaOnnx.speech(options), { folder })).rejects.toThrow('Remove the option language.');
});

test('a folder of the wrong kind prevents the start', async () => {
	await writeStyled(join(folder, 'kokoro'), 'kokoro');
	const speech = createModel(sherpaOnnx.speech({ folder: 'kokoro', family: 'kokoro' }), { folder });
	await expect(speech).rejects.toThrow(`${folder}/kokoro is not a complete kokoro model`);
});

test('numeric options can be strings from variables', () => {
	const options = { folder: 'x', family: 'vits', threads: '3' } as const;
	expect(sherpaOnnx.speech.definition.config.parse(options)).toMatchObject({ threads: 3 });
	expect(() => sherpaOnnx.speech.definition.config.parse({ ...options, threads: 0 })).toThrow('threads');
	expect(() => sherpaOnnx.transcription.definition.config.parse({ folder: 'x', family: 'flute' })).toThrow('whisper');
});
