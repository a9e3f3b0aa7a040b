import { randomBytes } from 'node:crypto';
import type { RecordStore } from '@plinth/core';

const secrets = { tenant: 'system', collection: 'image.secrets' };
const id = 'urls';

/** The key behind signed addresses. */
export type SigningKey = () => Promise<Uint8Array>;

/** Reads the key from the records; the first server that needs it makes it. Asked for once, and again after a failure. */
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
	const made = randomBytes(32).toString('hex');
	const found = await storedKey(records);
	if (found) return found;
	// Two servers may come here at once; the later one is refused, and takes the key of the other.
	if ((await records.put(secrets, id, { key: made }, { ifVersion: 0 })) !== null) {
		return Buffer.from(made, 'hex');
	}
	const other = await storedKey(records);
	if (!other) throw new Error('The key of signed addresses was deleted while it was being made.');
	return other;
}

async function storedKey(records: RecordStore): Promise<Uint8Array | undefined> {
	const record = await records.get<{ key: string }>(secrets, id);
	return record ? Buffer.from(record.value.key, 'hex') : undefined;
}
