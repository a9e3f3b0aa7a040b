import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';
import { crc32 } from 'node:zlib';

const prefix = 'plinth_live_';

/** What is kept of a key in its place: from it nobody finds the key again. */
export interface Digest {
	/** SHA-256, 32 bytes. */
	readonly bytes: Buffer;
	/** The same as 64 lower-case hex digits. */
	readonly hex: string;
}

/** `plinth_live_` + 32 random bytes in base64url + CRC-32 of both in hex, so that scanners can tell a key from noise. */
export function makeKey(): string {
	const body = `${prefix}${randomBytes(32).toString('base64url')}`;
	return `${body}${checksum(body)}`;
}

/** Whether a text has the form and the checksum of {@link makeKey}. */
export function isIssuedForm(key: string): boolean {
	return key.startsWith(prefix) && key.slice(-8) === checksum(key.slice(0, -8));
}

/** Digests a key. A plain hash is enough where keys are random: there is no list of likely ones to try. */
export function digestOf(key: string): Digest {
	const bytes = createHash('sha256').update(key).digest();
	return { bytes, hex: bytes.toString('hex') };
}

/** Compares digests in a time that says nothing about where they differ. */
export function sameDigest(known: Buffer, given: Digest): boolean {
	return known.length === given.bytes.length && timingSafeEqual(known, given.bytes);
}

/** The public name of a key: `key_` + the first 12 hex digits of its digest. Safe to log and to show. */
export function keyId(hex: string): string {
	return `key_${hex.slice(0, 12)}`;
}

/** The hex digits in a text made by {@link keyId}; undefined for any other text. */
export function digitsOfId(text: string): string | undefined {
	return /^key_([0-9a-f]{12})$/.exec(text)?.[1];
}

function checksum(text: string): string {
	return crc32(text).toString(16).padStart(8, '0');
}
