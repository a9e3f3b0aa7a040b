import type { BlobStore } from '@plinth/core';
import { s3Blobs } from '@plinth/s3';
import { blobStoreSuite, createBackend } from '@plinth/testing';
import { describe, test } from 'vitest';
import { scriptedS3 } from './scripted-s3.ts';

const suite = blobStoreSuite({
	async create() {
		const server = await scriptedS3();
		const { endpoint } = server;
		const keys = { accessKeyId: 'key', secretAccessKey: 'secret' };
		const { provided, stop } = await createBackend<BlobStore>(s3Blobs({ bucket: 'media', endpoint, ...keys }));
		return {
			store: provided,
			async close() {
				await stop();
				await server.close();
			},
		};
	},
});

describe('blobs in S3', () => {
	for (const { name, run } of suite) test(name, run);
});
