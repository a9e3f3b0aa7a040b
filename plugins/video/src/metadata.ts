/**
 * Blanks the metadata boxes of an MP4 (ISO/IEC 14496-12 §8.10 and §8.11), in place. Sizes and offsets do not change.
 * Yields the bytes as they arrive.
 */
export async function* withoutMetadata(body: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
	let pending: Uint8Array = Buffer.alloc(0);
	/** The offset of the next box in `pending`. */
	let next = 0;
	let isBlank = false;
	for await (const chunk of body) {
		const { buffer, byteOffset, byteLength } = pending.length === 0 ? chunk : Buffer.concat([pending, chunk]);
		const bytes = Buffer.from(buffer, byteOffset, byteLength);
		const blank = (from: number) => isBlank && bytes.fill(0, from, Math.min(next, bytes.length));
		blank(0);
		while (next + 16 <= bytes.length) {
			const name = bytes.toString('latin1', next + 4, next + 8);
			isBlank = name === 'udta' || name === 'meta';
			if (isBlank) bytes.write('free', next + 4, 'latin1');
			const { start, end } = contentOf(bytes, next);
			// These boxes contain boxes.
			next = name === 'moov' || name === 'trak' ? start : end;
			blank(start);
		}
		const passed = Math.min(next, bytes.length);
		if (passed > 0) yield bytes.subarray(0, passed);
		pending = bytes.subarray(passed);
		next -= passed;
	}
	if (pending.length > 0) yield pending;
}

/** The range of a box's content. A size of 0 means that the box extends to the end of the file. */
function contentOf(bytes: Buffer, at: number): { start: number; end: number } {
	const short = bytes.readUInt32BE(at);
	const size = short === 1 ? Number(bytes.readBigUInt64BE(at + 8)) : short;
	const header = short === 1 ? 16 : 8;
	return { start: at + header, end: size >= header ? at + size : Number.POSITIVE_INFINITY };
}
