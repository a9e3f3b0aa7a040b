import { randomBytes } from 'node:crypto';
import type { RecordStore } from '@plinth/core';

const secrets = { tenant: 'system', collection: 'image.secrets' };
const id = 'urls';

/** Returns the key that signs URLs. */
export type SigningKey = () => Promise<Uint8Array>;

/** Reads the key from the records, or creates it. The result is cached; a failure is not. */
export function signingKey(records: RecordStore): SigningKey {
	let key: Promise<Uint8Array> | undefined;
	return () => {
		key ??= readKey(records).catch((error: unknown) => {
			key = undefined;
			throw error;
		});
		return key;
	};
}

async function readKey(records: RecordStore): Promise<Uint8Array> {
	const created = randomBytes(32).toString('hex');
	const existing = await storedKey(records);
	if (existing) return existing;
	// Two servers may create a key at once; the later one reads the key of the other.
	if ((await records.put(secrets, id, { key: created }, { ifVersion: 0 })) !== null) {
		return Buffer.from(created, 'hex');
	}
	const other = await storedKey(records);
	if (!other) throw new Error('The key of signed URLs was deleted while it was created.');
	return other;
}

async function storedKey(records: RecordStore): Promise<Uint8Array | undefined> {
	const record = await records.get<{ key: string }>(secrets, id);
	return record ? Buffer.from(record.value.key, 'hex') : undefined;
}
