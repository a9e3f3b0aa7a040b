import { writeFile } from 'node:fs/promises';
import { builtin } from '@plinth/builtin';
import { createApp, services } from '@plinth/core';
import { memoryBlobs, memoryEvents, memoryJobs } from '@plinth/memory';
import { video } from '@plinth/plugin-video';
import { sharpImages } from '@plinth/sharp';
import { silentLogger } from '@plinth/testing';

// Renders one video per message: the built-in model behind the video plugin, with everything else in memory.
const app = await createApp(
	{
		server: { auth: 'off' },
		backends: {
			jobs: memoryJobs(),
			blobs: memoryBlobs(),
			events: memoryEvents(),
			images: sharpImages(),
		},
		models: { 'builtin-video': builtin.video() },
		plugins: { video: video() },
	},
	{ log: silentLogger() },
);
await app.start();

process.on('message', async (message: { fields: object; file: string }) => {
	const { id } = await render(message.fields);
	process.send?.('rendered');
	const content = await send(`/v1/videos/${id}/content`);
	await writeFile(message.file, Buffer.from(await content.arrayBuffer()));
	process.send?.('written');
});
process.send?.('ready');

async function render(fields: object): Promise<{ id: string }> {
	const ended = new Promise<string>((resolve) => {
		const types = ['job.completed', 'job.failed'];
		const events = app.service(services.events);
		const stop = events.subscribe({}, ({ type }) => {
			if (!types.includes(type)) return;
			stop();
			resolve(type);
		});
	});
	const created = await send('/v1/videos', {
		method: 'POST',
		body: JSON.stringify({ model: 'builtin-video', ...fields }),
		headers: { 'content-type': 'application/json' },
	});
	const job = (await created.json()) as { id: string };
	if ((await ended) !== 'job.completed') throw new Error('The video failed.');
	return job;
}

async function send(path: string, init?: RequestInit): Promise<Response> {
	const response = await app.fetch(new Request(`http://localhost${path}`, init));
	if (!response.ok) throw new Error(await response.text());
	return response;
}
