const segment = /^(?!\.{1,2}$)[A-Za-z0-9._-]+$/;

/** Tells whether a text is a key that a `BlobStore` takes: segments of `[A-Za-z0-9._-]`, joined by `/`, 1 to 512 characters, no segment `.` or `..`. */
export function isBlobKey(text: string): boolean {
	return text.length <= 512 && text.split('/').every((part) => segment.test(part));
}

/** Throws a `TypeError` unless {@link isBlobKey}: what every method of a `BlobStore` does first with a key. */
export function checkBlobKey(key: string): void {
	if (!isBlobKey(key)) throw new TypeError(`"${key}" is not a blob key.`);
}
