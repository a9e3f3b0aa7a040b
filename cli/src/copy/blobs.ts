import { createHash, type Hash } from 'node:crypto';
import { type BlobStore, ownerKey } from '@plinth/core';
import { UserError } from '../user-error.ts';
import { Meter } from './meter.ts';
import { Tally } from './tally.ts';

/** How many blobs are copied at the same time. */
const concurrency = 4;

/**
 * Copies the blobs that the target does not have. Reads every blob back from the target, because an S3 server does not
 * report a digest of what it stores. Returns the tally of the source.
 */
export async function copyBlobs(from: BlobStore, to: BlobStore): Promise<Tally> {
	const all = await tallyOfBlobs(from);
	const meter = new Meter('blobs', all);
	const running = new Set<Promise<unknown>>();
	const failures: unknown[] = [];
	for await (const { key } of from.list('')) {
		if (key === ownerKey) continue;
		while (running.size >= concurrency) await Promise.race(running);
		if (failures.length > 0) break;
		const task: Promise<unknown> = copyBlob(from, to, key)
			.then((bytes) => meter.add(1, bytes))
			.catch((error: unknown) => failures.push(error))
			.then(() => running.delete(task));
		running.add(task);
	}
	await Promise.all(running);
	if (failures.length > 0) throw failures[0];
	meter.end();
	return all;
}

/** Tallies the keys and sizes of all blobs, except the blob that names the job store. */
export async function tallyOfBlobs(blobs: BlobStore): Promise<Tally> {
	const tally = new Tally();
	for await (const { key, size } of blobs.list('')) if (key !== ownerKey) tally.add({ key, size }, size);
	return tally;
}

/** Copies and verifies a blob. Returns its number of bytes. */
async function copyBlob(from: BlobStore, to: BlobStore, key: string): Promise<number> {
	const present = await to.head(key);
	const source = await from.get(key);
	if (!source) throw new UserError(`The source no longer has the blob ${key}: is a server running on it?`);
	const { size, contentType } = source;
	const hash = createHash('sha256');
	const body = hashed(source.body, hash);
	if (present) for await (const _ of body);
	else await to.put(key, body, { contentType, size });
	const sha256 = hash.digest('hex');
	const stored = await to.get(key);
	const storedHash = createHash('sha256');
	if (stored) for await (const _ of hashed(stored.body, storedHash));
	if (stored?.contentType === contentType && stored.size === size && storedHash.digest('hex') === sha256) return size;
	if (!present) await to.delete([key]);
	throw new UserError(
		present
			? `The target has the blob ${key} with other bytes. Empty the target, or name another one.`
			: `The target returned other bytes of the blob ${key} than were written. Check its disk or server.`,
	);
}

async function* hashed(body: AsyncIterable<Uint8Array>, hash: Hash): AsyncGenerator<Uint8Array> {
	for await (const chunk of body) {
		hash.update(chunk);
		yield chunk;
	}
}
