/** The first bytes of pictures, one character for each byte. */
const starts: readonly (readonly [string, RegExp])[] = [
	['image/png', /^\x89PNG\r\n/],
	['image/jpeg', /^\xff\xd8\xff/],
	['image/gif', /^GIF8[79]a/],
	['image/webp', /^RIFF.{4}WEBP/s],
	['image/tiff', /^(?:II[*+]\0|MM\0[*+])/],
	// Words may also start with `BM`, so the size of the header is checked: it is one of a few numbers.
	['image/bmp', /^BM.{12}[\f(48@l|]\0{3}/s],
];

/** The media type of a picture by its first bytes. */
export function pictureType(bytes: Uint8Array): string | undefined {
	const head = Buffer.from(bytes.subarray(0, 64)).toString('latin1');
	return starts.find(([, start]) => start.test(head))?.[0];
}
