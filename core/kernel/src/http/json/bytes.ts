/**
 * Not zero for the bytes that mean something outside strings of JSON: blanks, digits and letters are passed over
 * faster.
 */
export const meanings = new Uint8Array(256);
for (const byte of Buffer.from('"[]{},:')) meanings[byte] = 1;

/** A string is looked at byte by byte so far; behind that it is searched, which pays only for long ones. */
export const shortString = 64;

/** The position of a byte; the length of the bytes when it is not there. */
export function find(bytes: Buffer, byte: number, from: number): number {
	const at = bytes.indexOf(byte, from);
	return at < 0 ? bytes.length : at;
}
