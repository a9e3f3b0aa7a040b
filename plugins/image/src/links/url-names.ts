import { randomBytes } from 'node:crypto';
import type { ImageFormat } from '@plinth/toolkit';

/** The prefix of stored pictures in the blob store. */
export const storedPrefix = 'images/';

const extensions: Readonly<Record<ImageFormat, string>> = { png: 'png', jpeg: 'jpg', webp: 'webp' };

/**
 * An unguessable name that starts with its expiry in hexadecimal digits of fixed width, so that names sort by expiry.
 */
export function makeName(expiresAt: number, format: ImageFormat): string {
	const expiry = expiresAt.toString(16).padStart(12, '0');
	return `${expiry}-${randomBytes(16).toString('hex')}.${extensions[format]}`;
}

/** The expiry (milliseconds since the epoch) and media type in a name; undefined for other names. */
export function readName(name: string): { expiresAt: number; mediaType: string } | undefined {
	const [, expiry, extension] = /^([0-9a-f]{12})-[0-9a-f]{32}\.(png|jpg|webp)$/.exec(name) ?? [];
	if (!expiry || !extension) return undefined;
	const format = extension === 'jpg' ? 'jpeg' : extension;
	return { expiresAt: Number.parseInt(expiry, 16), mediaType: `image/${format}` };
}
