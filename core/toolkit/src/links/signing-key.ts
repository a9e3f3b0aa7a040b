import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import type { CollectionRef, RecordStore } from '@plinth/core';

const tenant = 'system';
const id = 'urls';

/** Returns the key that signs URLs. */
export type SigningKey = () => Promise<Uint8Array>;

/** Reads the key from a collection of the records, or creates it. The result is cached; a failure is not. */
export function signingKey(records: RecordStore, collection: string): SigningKey {
	let key: Promise<Uint8Array> | undefined;
	return () => {
		key ??= readKey(records, { tenant, collection }).catch((error: unknown) => {
			key = undefined;
			throw error;
		});
		return key;
	};
}

/** The signature of a name: HMAC-SHA256 in hexadecimal. */
export function signName(key: Uint8Array, name: string): string {
	return createHmac('sha256', key).update(name).digest('hex');
}

/** Checks a signature in constant time. */
export function isSignedName(key: Uint8Array, name: string, signature: unknown): boolean {
	if (typeof signature !== 'string' || !/^[0-9a-f]{64}$/.test(signature)) return false;
	return timingSafeEqual(Buffer.from(signature), Buffer.from(signName(key, name)));
}

async function readKey(records: RecordStore, secrets: CollectionRef): Promise<Uint8Array> {
	const existing = await storedKey(records, secrets);
	if (existing) return existing;
	await records.put(secrets, id, { key: randomBytes(32).toString('hex') }, { ifVersion: 0 });
	// Two servers may create a key at the same time: the first one is kept.
	const created = await storedKey(records, secrets);
	if (!created) throw new Error('The key of signed URLs was deleted while it was created.');
	return created;
}

async function storedKey(records: RecordStore, secrets: CollectionRef): Promise<Uint8Array | undefined> {
	const record = await records.get<{ key: string }>(secrets, id);
	return record ? Buffer.from(record.value.key, 'hex') : undefined;
}
