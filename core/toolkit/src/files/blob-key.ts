const segment = /^(?!\.{1,2}$)[A-Za-z0-9._-]+$/;

/**
 * Whether a text is a valid key of a `BlobStore`: segments of `[A-Za-z0-9._-]` joined by `/`, 1 to 512
 * characters, no segment `.` or `..`.
 */
export function isBlobKey(text: string): boolean {
	return text.length <= 512 && text.split('/').every((part) => segment.test(part));
}

/** Throws a `TypeError` unless {@link isBlobKey}. Every method of a `BlobStore` calls this first. */
export function checkBlobKey(key: string): void {
	if (!isBlobKey(key)) throw new TypeError(`"${key}" is not a blob key.`);
}
