import { createApp } from '@plinth/core';
import { apiKeys } from '@plinth/keys';
import { embedded } from 'plinth';

const app = await createApp({
	extends: embedded,
	server: { port: process.env.PORT ?? 8080 },
	backends: { auth: apiKeys({ keys: 'my-team:a-long-key-of-my-own' }) },
});
const { url } = await app.listen();
console.log(`Try: curl ${url}/v1/models -H "x-api-key: a-long-key-of-my-own"`);
process.once('SIGTERM', () => app.stop());
