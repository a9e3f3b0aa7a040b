import { execFile } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { type App, createApp } from '@plinth/core';
import { silentLogger } from '@plinth/testing';
import { findConfig } from 'plinth';
import sharp from 'sharp';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type RawClient, rawClient, type WireFailure } from '../support/client.ts';
import { fakeDocuments } from '../support/fake-documents.ts';
import { ffprobe, textInPicture } from '../support/programs.ts';
import { keyA, removeDir, temporaryDir } from '../support/serve.ts';
import { readWav } from '../support/wav.ts';

const file = join(import.meta.dirname, '../../examples/command-models/plinth.config.ts');

const exec = promisify(execFile);

let dataDir: string;
let app: App;
let client: RawClient;

beforeAll(async () => {
	dataDir = await temporaryDir('command');
	const env = { PLINTH_DATA_DIR: dataDir, PLINTH_API_KEYS: `a:${keyA}` };
	const { config } = await findConfig({ file, env });
	const backends = { ...config.backends, documents: fakeDocuments()() };
	app = await createApp({ ...config, backends }, { env, file, log: silentLogger() });
	const { url } = await app.listen({ port: 0 });
	client = rawClient(url, keyA);
}, 60_000);

afterAll(async () => {
	await app?.stop();
	await removeDir(dataDir);
});

describe('a speech model that runs espeak-ng', () => {
	const input = 'The quick brown fox jumps over the lazy dog near the river.';

	function speak(fields: object): Promise<Response> {
		const body = { model: 'espeak', input, voice: 'alloy', response_format: 'wav', ...fields };
		return client.post('/v1/audio/speech', body);
	}

	async function spoken(fields: object = {}): Promise<Uint8Array> {
		const response = await speak(fields);
		expect(response.status).toBe(200);
		return new Uint8Array(await response.arrayBuffer());
	}

	test('produces WAV that other programs can read', async () => {
		const bytes = await spoken();
		const wav = join(dataDir, 'espeak.wav');
		await writeFile(wav, bytes);
		expect(await ffprobe(wav)).toMatchObject({ codec_name: 'pcm_s16le', channels: 1 });
		expect(readWav(bytes).seconds).toBeGreaterThan(2);
	});

	test('supports a hundred languages, and the error for another one lists them', async () => {
		const refused = (await (await speak({ voice: '--help' })).json()) as WireFailure;
		expect(refused.error).toMatchObject({ code: 'invalid_value', param: 'voice' });
		const [, list = ''] = /It has: (.*)\.$/.exec(refused.error.message) ?? [];
		const voices = list.split(', ');
		expect(voices.length).toBeGreaterThan(100);
		expect(voices).toEqual(expect.arrayContaining(['de', 'fr-fr', 'cmn', 'alloy']));
		const [english, german] = await Promise.all([spoken(), spoken({ voice: 'de' })]);
		expect(Buffer.from(german).equals(english)).toBe(false);
	});

	test('speaks at the requested speed', async () => {
		const [plain, fast] = await Promise.all([spoken(), spoken({ speed: 1.5 })]);
		const ratio = readWav(plain).seconds / readWav(fast).seconds;
		expect(ratio).toBeGreaterThan(1.3);
		expect(ratio).toBeLessThan(1.7);
	});

	test('speaks text that looks like an option', async () => {
		const bytes = await spoken({ input: '--version -w /tmp/x $(id)' });
		expect(readWav(bytes).seconds).toBeGreaterThan(1);
	});
});

/** The text in the lower part of the first frame. */
async function titleOf(video: string): Promise<string> {
	const png = `${video}.png`;
	const filter = 'crop=iw:52:0:ih-70,scale=iw*3:ih*3,negate';
	await exec('ffmpeg', ['-v', 'error', '-i', video, '-frames:v', '1', '-vf', filter, png]);
	return textInPicture(png, 6);
}

describe('a video model that runs ffmpeg', () => {
	test('renders the requested size and length, with the literal prompt', async () => {
		const prompt = `Lighthouse':x=0,drawbox=t=fill %{pts}\\`;
		const fields = { model: 'test-card', prompt, seconds: '2', size: '640x480' };
		const { id } = await client.create(fields);
		const { status, progress } = await client.finished(id);
		expect([status, progress]).toEqual(['completed', 1]);
		const mp4 = join(dataDir, 'card.mp4');
		await writeFile(mp4, await client.bytes(`/v1/videos/${id}/content`));
		expect(await ffprobe(mp4)).toMatchObject({
			codec_name: 'h264',
			width: 640,
			height: 480,
			nb_read_frames: '48',
		});
		expect(await titleOf(mp4)).toMatch(/Lighthouse.*drawbox/);
	});

	test('refuses a reference image', async () => {
		const picture = await sharp({
			create: { width: 640, height: 480, channels: 3, background: 'red' },
		})
			.png()
			.toBuffer();
		const form = new FormData();
		for (const [name, value] of Object.entries({
			model: 'test-card',
			prompt: 'A kite',
			seconds: '2',
			size: '640x480',
		})) {
			form.set(name, value);
		}
		form.set('input_reference', new Blob([picture]), 'a.png');
		const refused = await client.send('/v1/videos', { method: 'POST', body: form });
		expect(refused.status).toBe(400);
		const param = 'input_reference';
		expect(await refused.json()).toMatchObject({ error: { code: 'unsupported_value', param } });
	});
});

describe('an image model of fifteen lines of Python', () => {
	async function paint(fields: object): Promise<Buffer[]> {
		const body = { model: 'painter', prompt: 'A kite', size: '1024x1536', ...fields };
		const response = await client.post('/v1/images/generations', body);
		expect(response.status).toBe(200);
		const { data } = (await response.json()) as { data: { b64_json: string }[] };
		return data.map(({ b64_json }) => Buffer.from(b64_json, 'base64'));
	}

	test('paints the requested images, each one different', async () => {
		const pictures = await paint({ n: 2, seed: 1 });
		for (const picture of pictures) {
			const { format, width, height } = await sharp(picture).metadata();
			expect([format, width, height]).toEqual(['png', 1024, 1536]);
		}
		expect(pictures[0]?.equals(pictures[1] as Buffer)).toBe(false);
		expect(await paint({ n: 2, seed: 1 })).toEqual(pictures);
	});

	test('has its images converted', async () => {
		const [picture] = await paint({ output_format: 'webp' });
		expect((await sharp(picture).metadata()).format).toBe('webp');
	});
});

describe('a server whose program is missing', () => {
	test('does not start, and the error names the model', async () => {
		const env = { PLINTH_DATA_DIR: dataDir, PLINTH_API_KEYS: `a:${keyA}` };
		const { config } = await findConfig({ file, env: { ...env, PATH: '/nowhere' } });
		const { PATH } = process.env;
		process.env.PATH = '/nowhere';
		try {
			await expect(createApp(config, { env, file, log: silentLogger() })).rejects.toThrow(
				/espeak[\s\S]*There is no program espeak-ng on the PATH \/nowhere/,
			);
		} finally {
			process.env.PATH = PATH;
		}
	});
});
