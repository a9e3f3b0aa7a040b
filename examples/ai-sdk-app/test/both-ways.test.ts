import { aiSdk } from '@plinth/ai-sdk';
import { createPlinth } from '@plinth/ai-sdk/provider';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { rawClient } from '../../../test/support/client.ts';
import { keyA, keyB, removeDir, type Served, serveEmbedded, temporaryDir } from '../../../test/support/serve.ts';
import { askForAll } from '../app.ts';

let far: Served;
let near: Served;
let folder: string;

beforeAll(async () => {
	folder = await temporaryDir('both-ways');
	far = await serveEmbedded();
	const rented = createPlinth({ baseURL: `${far.url}/v1`, apiKey: keyB });
	near = await serveEmbedded({
		models: {
			'builtin-chat': aiSdk.chat(rented('builtin-chat')),
			'builtin-image': aiSdk.image({ model: rented.imageModel('builtin-image'), operations: ['generate', 'edit'] }),
			'builtin-speech': aiSdk.speech(rented.speechModel('builtin-speech')),
			'builtin-video': aiSdk.video({ model: rented.videoModel('builtin-video'), pollSeconds: 0.2 }),
		},
	});
});

afterAll(async () => {
	await near.stop();
	await far.stop();
	await removeDir(folder);
});

test('the app gets the same from a Plinth whose models are those of another one', async () => {
	const lines = await askForAll(createPlinth({ baseURL: `${near.url}/v1`, apiKey: keyA }), folder);
	expect(lines.map((line) => line.split(':')[0])).toEqual([
		...['generateText', 'streamText', 'generateObject', 'generateImage', 'generateImage (edit)'],
		...['generateSpeech', 'generateVideo', 'startVideo, getVideoStatus'],
	]);
	expect(lines.at(-1)).toBe('startVideo, getVideoStatus: completed');
	// The videos were made by the other server, for its own tenant.
	const made = await rawClient(far.url, keyB).json<{ data: unknown[] }>('/v1/videos');
	expect(made.data).toHaveLength(2);
});
