// A CommonJS host that requires the kernel. Its imports load the same copy.
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
