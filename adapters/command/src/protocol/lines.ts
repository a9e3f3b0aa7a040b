/**
 * The non-empty lines of a stream, without line breaks. Throws the error of `tooLong` for a line above
 * `maxBytes`. The last line needs no line break.
 */
export async function* lines(
	source: AsyncIterable<Buffer>,
	maxBytes: number,
	tooLong: () => Error,
): AsyncGenerator<Buffer> {
	// The parts of an unfinished line, joined once: a long line arrives in many chunks.
	let parts: Buffer[] = [];
	let length = 0;
	const add = (chunk: Buffer, start: number, end: number) => {
		if (start === end) return;
		length += end - start;
		if (length > maxBytes) throw tooLong();
		parts.push(chunk.subarray(start, end));
	};
	const flush = () => {
		const line = Buffer.concat(parts);
		parts = [];
		length = 0;
		return line;
	};
	for await (const chunk of source) {
		let start = 0;
		for (let end = chunk.indexOf(10); end >= 0; end = chunk.indexOf(10, start)) {
			add(chunk, start, end);
			start = end + 1;
			// Empty lines are dropped here: many of them would block the event loop.
			if (length > 0) yield flush();
		}
		add(chunk, start, chunk.byteLength);
	}
	if (length > 0) yield flush();
}
