/**
 * The lines of a stream that are not empty, without their ends. Throws what `tooLong` makes as soon as one has more than `maxBytes`. An end
 * without a line break is a line too.
 */
export async function* lines(
	source: AsyncIterable<Buffer>,
	maxBytes: number,
	tooLong: () => Error,
): AsyncGenerator<Buffer> {
	// The parts of an unfinished line: joined once, because a long one comes in many.
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
			// A flood of empty ones would keep the event loop busy: each line that is passed on costs some turns of promises.
			if (length > 0) yield flush();
		}
		add(chunk, start, chunk.byteLength);
	}
	if (length > 0) yield flush();
}
