import { isBlobKey } from '@plinth/toolkit';

/**
 * Conversion between keys and file paths, relative to the store's directory. A blob's file name ends with
 * `@`, a character that no key has, so that `a` and `a/b` can both be blobs. Segments longer than a file
 * name continue in a subdirectory, whose parent ends with `+`.
 */

const maxSegmentLength = 200;

/** Whether a text is the empty prefix or a key, with or without a trailing slash. */
export function isPrefix(prefix: string): boolean {
	return prefix === '' || isBlobKey(prefix.replace(/\/$/, ''));
}

/** The path of a key's file. The key must be validated. */
export function pathOf(key: string): string {
	return `${directoryOf(key)}@`;
}

/** The path of the directory of all keys with this prefix. */
export function directoryOf(key: string): string {
	return key.replace(new RegExp(`[^/]{${maxSegmentLength}}(?=[^/])`, 'g'), '$&+/');
}

/** The key of a file. */
export function keyOf(path: string): string {
	return path.slice(0, -1).replaceAll('+/', '');
}
