// A CommonJS host: it requires the kernel, and what it imports besides is made by the same copy.
const { createApp } = require('@plinth/core');
const { memoryBlobs } = require('@plinth/memory');

import('@plinth/memory').then(async ({ memoryEvents }) => {
	const app = await createApp({
		server: { auth: 'off' },
		log: { level: 'silent' },
		backends: { blobs: memoryBlobs(), events: memoryEvents() },
	});
	console.log(app.tree().parts.length);
	await app.stop();
});
