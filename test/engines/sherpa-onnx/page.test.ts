import { readFileSync } from 'node:fs';
import { symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { createApp, definePlugin } from '@plinth/core';
import { transcriptionModels } from '@plinth/plugin-transcription/model';
import { silentLogger } from '@plinth/testing';
import { findConfig } from 'plinth';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { z } from 'zod';
import { writeSenseVoice, writeWhisper } from '../../../adapters/sherpa-onnx/test/tiny/recognizers.ts';
import { writeFolder, writeStyled, writeVits } from '../../../adapters/sherpa-onnx/test/tiny/voices.ts';
import { root } from '../../support/cli.ts';
import { codeBlocks } from '../../support/pages.ts';
import { writeProject } from '../../support/readme.ts';
import { removeDir, temporaryDir } from '../../support/serve.ts';
import { installation } from './harness.ts';

const page = readFileSync(join(root, 'docs/adapters/sherpa-onnx.md'), 'utf8');
const configs = (['yaml', 'ts'] as const).flatMap((language) =>
	codeBlocks(page, language).map((text) => ({ language, text })),
);
/** A plugin that needs transcription, in place of the real ones. */
const listener = definePlugin({
	id: 'listener',
	config: z.object({}),
	needs: {},
	models: [transcriptionModels],
	setup: () => {},
});

let dir: string;

beforeAll(async () => {
	dir = await temporaryDir('sherpa-page');
});

afterAll(() => removeDir(dir));

test('the page has a config in both spellings', () => {
	expect(configs.map(({ language }) => language)).toEqual(['yaml', 'ts']);
});

test.each(configs)('a config of the page starts a server with its models: $language', async ({ language, text }) => {
	const folder = join(dir, language);
	await writeFolder(folder, { 'kokoro/espeak-ng-data/phontab': 'phonemes' });
	await writeStyled(join(folder, 'kokoro'), 'kokoro');
	await writeVits(join(folder, 'amy'));
	await writeWhisper(join(folder, 'whisper'));
	await writeSenseVoice(join(folder, 'sense-voice'));
	const file = await writeProject(folder, `plinth.config.${language}`, text);
	const engine = 'node_modules/sherpa-onnx-node';
	await symlink(join(installation, engine), join(folder, engine));
	const env = { PLINTH_DATA_DIR: join(folder, 'data'), PLINTH_API_KEYS: 'a:key-of-the-pages' };
	const { config } = await findConfig({ file, env });
	const plugins = { ...config.plugins, listener: listener() };
	const app = await createApp({ ...config, plugins }, { file, env, folder, log: silentLogger() });
	await app.start();
	const headers = { authorization: 'Bearer key-of-the-pages' };
	const response = await app.fetch(new Request('http://localhost/v1/models', { headers }));
	const { data } = (await response.json()) as { data: readonly { id: string; owned_by: string }[] };
	const own = data.filter(({ owned_by }) => owned_by === 'sherpaOnnx').map(({ id }) => id);
	expect(own.sort()).toEqual(language === 'yaml' ? ['kokoro', 'whisper'] : ['amy', 'listener']);
	if (language === 'ts') {
		const body = JSON.stringify({ model: 'amy', input: 'Good day.', voice: '1', response_format: 'wav' });
		const speech = await app.fetch(
			new Request('http://localhost/v1/audio/speech', {
				method: 'POST',
				headers: { ...headers, 'content-type': 'application/json' },
				body,
			}),
		);
		expect(speech.status).toBe(200);
		expect(Buffer.from(await speech.arrayBuffer()).toString('latin1', 0, 4)).toBe('RIFF');
	}
	await app.stop();
});
