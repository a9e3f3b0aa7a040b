import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createPlinth, type PlinthProvider } from '@plinth/ai-sdk/provider';
import sharp from 'sharp';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { root, startNode } from '../../../test/support/cli.ts';
import { fakeTranscription, heardWords } from '../../../test/support/fake-transcription.ts';
import { readMp4 } from '../../../test/support/mp4.ts';
import { fencedCode, writeProject } from '../../../test/support/readme.ts';
import { keyA, removeDir, type Served, serveEmbedded, temporaryDir } from '../../../test/support/serve.ts';
import { readWav } from '../../../test/support/wav.ts';
import { askForAll, dictation } from '../app.ts';

let served: Served;
let plinth: PlinthProvider;
let folder: string;

beforeAll(async () => {
	served = await serveEmbedded({ models: { listener: fakeTranscription() } });
	folder = await temporaryDir('ai-sdk-app');
	plinth = createPlinth({ baseURL: `${served.url}/v1`, apiKey: keyA });
});

afterAll(async () => {
	await served.stop();
	await removeDir(folder);
});

test('all functions of the SDK return results', async () => {
	const lines = await askForAll(plinth, folder);
	expect(lines).toEqual([
		expect.stringMatching(/^generateText: \d{2,} characters, \d{2,} tokens$/),
		expect.stringMatching(/^streamText: \d+ pieces, \d{2,} characters$/),
		'generateObject: rent, currency',
		expect.stringMatching(/^generateImage: image\/png, \d{4,} bytes$/),
		expect.stringMatching(/^generateImage \(edit\): image\/png, \d{4,} bytes$/),
		expect.stringMatching(/^generateSpeech: audio\/wav, \d{4,} bytes$/),
		expect.stringMatching(/^generateVideo: video\/mp4, \d{4,} bytes$/),
		'startVideo, getVideoStatus: completed',
	]);
	const file = (name: string) => readFile(join(folder, name));
	expect(await sharp(await file('image.png')).metadata()).toMatchObject({ format: 'png', width: 1024, height: 1024 });
	// The edit asks for grey.
	const { channels } = await sharp(await file('edited.png')).stats();
	expect(new Set(channels.slice(0, 3).map(({ mean }) => Math.round(mean))).size).toBe(1);
	expect(readWav(await file('speech.wav')).seconds).toBeGreaterThan(0.3);
	expect(readMp4(await file('video.mp4'))).toMatchObject({ width: 640, height: 480, seconds: 2 });
});

test('the speech of the app is transcribed by a server with a transcription model', async () => {
	const line = await dictation(plinth, 'listener', join(folder, 'speech.wav'));
	expect(line).toBe(`transcribe: "${heardWords}", 2 segments`);
});

test('the program in docs/adapters/ai-sdk.md returns a text and a video', async () => {
	const [program = ''] = await fencedCode(join(root, 'docs/adapters/ai-sdk.md'), /createPlinth/);
	expect(program).toContain('http://127.0.0.1:8080/v1');
	const cwd = join(folder, 'page');
	const file = await writeProject(cwd, 'page.mjs', program.replace('http://127.0.0.1:8080', served.url));
	const child = startNode([file], { cwd, env: { PLINTH_API_KEY: keyA } });
	onTestFinished(() => child.kill());
	expect(await child.exit).toMatchObject({ code: 0, stdout: expect.stringMatching(/\w{4,}.* video\/mp4\n$/s) });
});
