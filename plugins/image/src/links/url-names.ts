import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import type { ImageFormat } from '@plinth/toolkit';

/** Where stored pictures lie in the blob store. */
export const storedPrefix = 'images/';

const extensions: Readonly<Record<ImageFormat, string>> = { png: 'png', jpeg: 'jpg', webp: 'webp' };

/** A name that nobody can guess and that begins with its expiry: as hexadecimal digits of a fixed width, so that names sort by it. */
export function makeName(expiresAt: number, format: ImageFormat): string {
	const expiry = expiresAt.toString(16).padStart(12, '0');
	return `${expiry}-${randomBytes(16).toString('hex')}.${extensions[format]}`;
}

/** What a name says: when the picture expires, in milliseconds since the epoch, and its media type. Undefined: it is none of ours. */
export function readName(name: string): { expiresAt: number; mediaType: string } | undefined {
	const [, expiry, extension] = /^([0-9a-f]{12})-[0-9a-f]{32}\.(png|jpg|webp)$/.exec(name) ?? [];
	if (!expiry || !extension) return undefined;
	const format = extension === 'jpg' ? 'jpeg' : extension;
	return { expiresAt: Number.parseInt(expiry, 16), mediaType: `image/${format}` };
}

/** The signature of a name: HMAC-SHA256, hexadecimal. */
export function sign(key: Uint8Array, name: string): string {
	return createHmac('sha256', key).update(name).digest('hex');
}

/** Checks a signature that a client sent, in a time that tells nothing about the right one. */
export function isSigned(key: Uint8Array, name: string, signature: unknown): boolean {
	if (typeof signature !== 'string' || !/^[0-9a-f]{64}$/.test(signature)) return false;
	return timingSafeEqual(Buffer.from(signature), Buffer.from(sign(key, name)));
}
