import { createReadStream } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Readable } from 'node:stream';
import { GetObjectCommand } from '@aws-sdk/client-s3';
import { Upload } from '@aws-sdk/lib-storage';
import { clientOf, type Place, storeAt } from '../../test/engines/s3/support.ts';

/** Stores a file this many times, with its length or without. */
export interface PutRound {
	readonly file: string;
	readonly times: number;
	readonly size?: number;
}

// The store, or the bare SDK, which also pipes objects into responses. Arguments: `store` or `bare`, and the bucket as
// JSON.
const [, , side = '', text = '{}'] = process.argv;
const place = JSON.parse(text) as Place;
const client = clientOf(place);
const contentType = 'video/mp4';

async function bare(file: string): Promise<void> {
	const params = { Bucket: place.bucket, Key: 'bare', ContentType: contentType, Body: createReadStream(file) };
	await new Upload({ client, params }).done();
}

const { store } = await storeAt(place);

process.on('message', async ({ file, times, size }: PutRound) => {
	for (let round = 0; round < times; round += 1) {
		if (side === 'bare') await bare(file);
		else await store.put('ours', createReadStream(file), { contentType, ...(size && { size }) });
	}
	process.send?.('done');
});

const server = createServer(async (req, res) => {
	const command = new GetObjectCommand({ Bucket: place.bucket, Key: req.url?.slice(1) });
	const { Body, ContentLength, ContentType, ETag } = await client.send(command);
	res.writeHead(200, { 'content-length': ContentLength, 'content-type': ContentType, etag: ETag });
	(Body as Readable).pipe(res);
});
server.listen(0, '127.0.0.1', () => process.send?.({ port: (server.address() as AddressInfo).port }));
