import { hash, randomBytes } from 'node:crypto';
import { crc32 } from 'node:zlib';

const prefix = 'plinth_live_';

/** The digest of a key, which is stored in its place and cannot be reversed. */
export interface Digest {
	/** SHA-256, 32 bytes. */
	readonly bytes: Buffer;
	/** The same as 64 lower-case hex digits. */
	readonly hex: string;
}

/** `plinth_live_`, 32 random bytes in base64url, and a CRC-32 in hex, so that secret scanners recognise keys. */
export function makeKey(): string {
	const body = `${prefix}${randomBytes(32).toString('base64url')}`;
	return `${body}${checksum(body)}`;
}

/** Whether a text has the form and the checksum of {@link makeKey}. */
export function isIssuedForm(key: string): boolean {
	return key.startsWith(prefix) && key.slice(-8) === checksum(key.slice(0, -8));
}

/** Hashes a key. A plain hash is sufficient, because keys are random and cannot be guessed. */
export function digestOf(key: string): Digest {
	const bytes = hash('sha256', key, 'buffer');
	return { bytes, hex: bytes.toString('hex') };
}

/** The public id of a key: `key_` + the first 12 hex digits of its digest. Safe to log and to show. */
export function keyId(hex: string): string {
	return `key_${hex.slice(0, 12)}`;
}

/** The hex digits of an id from {@link keyId}; undefined for any other text. */
export function digitsOfId(text: string): string | undefined {
	return /^key_([0-9a-f]{12})$/.exec(text)?.[1];
}

function checksum(text: string): string {
	return crc32(text).toString(16).padStart(8, '0');
}
