import { aiSdk } from '@plinth/ai-sdk';
import { createPlinth } from '@plinth/ai-sdk/provider';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { rawClient } from '../../../test/support/client.ts';
import { keyA, keyB, removeDir, type Served, serveEmbedded, temporaryDir } from '../../../test/support/serve.ts';
import { askForAll } from '../app.ts';

let upstream: Served;
let server: Served;
let folder: string;

beforeAll(async () => {
	folder = await temporaryDir('chained-servers');
	upstream = await serveEmbedded();
	const provider = createPlinth({ baseURL: `${upstream.url}/v1`, apiKey: keyB });
	server = await serveEmbedded({
		models: {
			'builtin-chat': aiSdk.chat(provider('builtin-chat')),
			'builtin-image': aiSdk.image({ model: provider.imageModel('builtin-image'), operations: ['generate', 'edit'] }),
			'builtin-speech': aiSdk.speech(provider.speechModel('builtin-speech')),
			'builtin-video': aiSdk.video({ model: provider.videoModel('builtin-video'), pollSeconds: 0.2 }),
		},
	});
});

afterAll(async () => {
	await server.stop();
	await upstream.stop();
	await removeDir(folder);
});

test('the app gets the same results from a server whose models are those of another Plinth server', async () => {
	const lines = await askForAll(createPlinth({ baseURL: `${server.url}/v1`, apiKey: keyA }), folder);
	expect(lines.map((line) => line.split(':')[0])).toEqual([
		...['generateText', 'streamText', 'generateObject', 'generateImage', 'generateImage (edit)'],
		...['generateSpeech', 'generateVideo', 'startVideo, getVideoStatus'],
	]);
	expect(lines.at(-1)).toBe('startVideo, getVideoStatus: completed');
	// The videos were made by the other server, for its own tenant.
	const made = await rawClient(upstream.url, keyB).json<{ data: unknown[] }>('/v1/videos');
	expect(made.data).toHaveLength(2);
});
