import { createHash, getFips } from 'node:crypto';

/** The `Content-MD5` of a body, which servers other than AWS require for deletions; undefined if FIPS forbids MD5. */
export function contentMd5(body: string): string | undefined {
	return md5(Buffer.from(body))?.toString('base64');
}

/** Whether an entity tag proves that the server has these bytes. Most servers use the MD5; none guarantees it. */
export function provesBytes(etag: string | undefined, bytes: Uint8Array): boolean {
	return etag !== undefined && unquoted(etag) === md5(bytes)?.toString('hex');
}

/** An entity tag without its quotes. */
export function unquoted(etag: string): string {
	return etag.replace(/^(?:W\/)?"|"$/g, '');
}

function md5(bytes: Uint8Array): Buffer | undefined {
	return getFips() ? undefined : createHash('md5').update(bytes).digest();
}
