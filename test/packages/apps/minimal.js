import { createApp, defineModel } from '@plinth/core';
import { speech } from '@plinth/plugin-speech';
import { speechModels } from '@plinth/plugin-speech/model';
import { z } from 'zod';

// The smallest deployment: the kernel, one plugin, and a model that returns a second of silence.
const silence = defineModel({
	kind: speechModels,
	name: 'own.speech',
	config: z.strictObject({}),
	create: () => ({
		apiVersion: 1,
		speak: async () => ({
			mediaType: 'audio/pcm',
			sampleRate: 24_000,
			channels: 1,
			body: second(),
		}),
	}),
});

async function* second() {
	yield new Uint8Array(48_000);
}

const app = await createApp({
	server: { auth: 'off' },
	log: { level: 'silent' },
	models: { silence: silence() },
	plugins: { speech: speech() },
});
const { url } = await app.listen({ port: 0 });
const response = await fetch(`${url}/v1/audio/speech`, {
	method: 'POST',
	headers: { 'content-type': 'application/json' },
	body: JSON.stringify({ model: 'silence', voice: 'x', input: 'Hello.', response_format: 'wav' }),
});
console.log(response.status, (await response.arrayBuffer()).byteLength);
await app.stop();
