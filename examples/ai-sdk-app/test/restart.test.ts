import { join } from 'node:path';
import { createApp } from '@plinth/core';
import { smallMp4 } from '@plinth/plugin-video/testing';
import { eventually, jsonResponse, scriptedUpstream, silentLogger, type UpstreamScript } from '@plinth/testing';
import { findConfig } from 'plinth';
import { expect, onTestFinished, test } from 'vitest';
import { type Child, plinth } from '../../../test/support/cli.ts';
import { rawClient } from '../../../test/support/client.ts';
import { removeDir, temporaryDir } from '../../../test/support/serve.ts';

const videoBytes = smallMp4({ width: 640, height: 480 });
const key = 'a-key-of-the-restarts';

/** A server of predictions in the format of Replicate; they succeed when `isDone` returns true. */
async function startProvider(isDone: () => boolean) {
	let started = 0;
	const script: UpstreamScript = (response, { method, headers, path }) => {
		if (path.endsWith('/film')) return response.writeHead(200, { 'content-type': 'video/mp4' }).end(videoBytes);
		if (method === 'POST') started++;
		const url = `http://${headers.host}/v1/predictions/${started}`;
		const state = isDone() ? { status: 'succeeded', output: `${url}/film` } : { status: 'processing' };
		return jsonResponse({ id: `${started}`, urls: { get: url }, ...state })(response, {} as never);
	};
	const server = await scriptedUpstream(script, { onTestFinished });
	return { server, begun: () => started };
}

test('a video continues after the server is killed, and is paid for only once', async () => {
	let isDone = false;
	const { server, begun } = await startProvider(() => isDone);
	const dataDir = await temporaryDir('rented');
	onTestFinished(() => removeDir(dataDir));
	const env = {
		...{ PLINTH_DATA_DIR: dataDir, PLINTH_API_KEYS: `me:${key}` },
		...{ REPLICATE_API_TOKEN: 'a-token-of-the-tests', REPLICATE_URL: `${server.url}/v1` },
	};
	const serve = async (): Promise<readonly [Child, string]> => {
		const child = plinth(['serve', '--config', 'restart.config.yaml'], { cwd: import.meta.dirname, env });
		onTestFinished(() => child.kill());
		const [, url = ''] = await child.printed(/(http:\/\/127\.0\.0\.1:\d+)/, 40_000);
		return [child, url];
	};
	let [child, url] = await serve();
	// A job has five attempts, so the server is killed three times per video.
	const videos = process.env.PLINTH_TEST_LONG ? 17 : 1;
	for (let video = 1; video <= videos; video++) {
		isDone = false;
		const { id } = await rawClient(url, key).create({ model: 'rented-video', prompt: `Lake ${video}` });
		for (let kill = 0; kill < 3; kill++) {
			const { length } = server.requests;
			const isAsked = () => server.requests.slice(length).some(({ method }) => method === 'GET');
			await eventually('the provider is polled for the video', isAsked, 60_000);
			await child.kill();
			[child, url] = await serve();
		}
		isDone = true;
		const client = rawClient(url, key);
		expect(await client.finished(id, 60_000)).toMatchObject({ status: 'completed', progress: 1 });
		expect(Buffer.from(await client.bytes(`/v1/videos/${id}/content`)).equals(videoBytes)).toBe(true);
		expect(begun()).toBe(video);
	}
	const { stdout, stderr } = await child.kill().then(() => child.exit);
	expect(`${stdout}${stderr}`).not.toContain('a-token-of-the-tests');
}, 600_000);

test('the config of the example starts a server with the rented model', async () => {
	const dataDir = await temporaryDir('rented-config');
	onTestFinished(() => removeDir(dataDir));
	const file = join(import.meta.dirname, '../plinth.config.yaml');
	const env = { PLINTH_DATA_DIR: dataDir, PLINTH_API_KEYS: `me:${key}`, REPLICATE_API_TOKEN: 'a-token' };
	const { config } = await findConfig({ file, env });
	const app = await createApp(config, { env, file, log: silentLogger() });
	onTestFinished(() => app.stop());
	const client = rawClient('http://plinth.test', key, (request) => app.fetch(request));
	expect(await client.json('/v1/models/rented-video')).toMatchObject({ id: 'rented-video' });
});
