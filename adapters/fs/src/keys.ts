import { isBlobKey } from '@plinth/toolkit';

/**
 * Keys and the paths of their files, relative to the store's directory. A blob's file name ends with `@`, a character that no
 * key has, so that `a` and `a/b` can both be blobs. Segments longer than a file name may be go on in a directory below, whose
 * parent ends with `+`.
 */

const maxSegmentLength = 200;

/** True for the empty prefix and for keys, with or without a slash behind them. */
export function isPrefix(prefix: string): boolean {
	return prefix === '' || isBlobKey(prefix.replace(/\/$/, ''));
}

/** The path of a key's file. Nothing but checked keys becomes a path. */
export function pathOf(key: string): string {
	return `${directoryOf(key)}@`;
}

/** The path under which lies whatever has the key as a prefix. */
export function directoryOf(key: string): string {
	return key.replace(new RegExp(`[^/]{${maxSegmentLength}}(?=[^/])`, 'g'), '$&+/');
}

/** The key of a file. */
export function keyOf(path: string): string {
	return path.slice(0, -1).replaceAll('+/', '');
}
