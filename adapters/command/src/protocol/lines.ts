/**
 * The non-empty lines of a stream, without line breaks. Throws the error of `tooLong` for a line above
 * `maxBytes`. The last line needs no line break.
 */
export async function* lines(source: AsyncIterable<Buffer>, maxBytes: number, tooLong: () => Error) {
	// The parts of an unfinished line, joined once: a long line arrives in many chunks.
	let parts: Buffer[] = [];
	let length = 0;
	for await (const chunk of source) {
		for (let start = 0; start < chunk.byteLength; ) {
			const end = chunk.indexOf(10, start);
			const part = chunk.subarray(start, end < 0 ? undefined : end);
			length += part.byteLength;
			if (length > maxBytes) throw tooLong();
			parts.push(part);
			start += part.byteLength + 1;
			if (end < 0) break;
			// Empty lines are dropped here: many of them would block the event loop.
			if (length > 0) yield Buffer.concat(parts);
			parts = [];
			length = 0;
		}
	}
	if (length > 0) yield Buffer.concat(parts);
}
