import {
	createApp,
	type DocumentReader,
	defineBackend,
	definePlugin,
	services,
} from '@plinth/core';
import { silentLogger } from '@plinth/core/testing';
import { expect, it } from 'vitest';
import { z } from 'zod';

it('plugins read documents through the cache, whatever provides the reader', async () => {
	let reads = 0;
	const counting: DocumentReader = {
		version: '1',
		async read() {
			reads++;
			return { mediaType: 'text/plain', text: 'abc', truncated: false, metadata: {} };
		},
	};
	const documents = defineBackend({
		name: 'countingReader',
		provides: services.documents,
		config: z.strictObject({}),
		create: () => counting,
	});
	const seen: DocumentReader[] = [];
	const reading = definePlugin({
		id: 'reading',
		config: z.strictObject({}),
		needs: { documents: services.documents },
		setup: (context) => void seen.push(context.services.documents),
	});
	const app = await createApp(
		{
			server: { auth: 'off' },
			backends: { documents: documents() },
			plugins: { reading: reading() },
		},
		{ log: silentLogger() },
	);
	for (const reader of [...seen, app.service(services.documents)]) {
		expect((await reader.read(Buffer.from('abc'))).text).toBe('abc');
	}
	expect(seen).toHaveLength(1);
	expect(reads).toBe(1);
	await app.stop();
});
