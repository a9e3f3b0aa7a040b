import type { UpstreamAnswer } from './answer.ts';
import { brokenAnswer } from './failure.ts';

/** A server-sent event. */
export interface UpstreamEvent {
	/** Its `data:` lines. */
	readonly data: Buffer;
}

const newline = 0x0a;
const carriageReturn = 0x0d;

/**
 * The events of an answer (HTML living standard §9.2.6), names, comments and other fields left out: every event says
 * in its data what it is. What stands behind the last blank line is an event as well: some servers end without one.
 * Throws `E_MODEL_FAILED` for an event of more than `maxBytes`.
 */
export async function* eventsOf(answer: UpstreamAnswer, maxBytes: number): AsyncGenerator<UpstreamEvent> {
	const event = new Draft();
	let rest: Buffer[] = [];
	let isFirst = true;
	const ends = new LineEnds();
	for await (const bytes of answer.chunks(Number.POSITIVE_INFINITY)) {
		const chunk = ends.unify(bytes);
		let from = 0;
		for (let at = chunk.indexOf(newline); at >= 0; at = chunk.indexOf(newline, from)) {
			const part = chunk.subarray(from, at);
			const whole = rest.length === 0 ? part : Buffer.concat([...rest, part]);
			const line = isFirst ? withoutMark(whole) : whole;
			isFirst = false;
			rest = [];
			from = at + 1;
			if (line.length === 0) yield* event.take();
			else event.add(line);
		}
		if (from < chunk.length) rest.push(chunk.subarray(from));
		const pending = rest.reduce((sum, { length }) => sum + length, event.length);
		if (pending > maxBytes) {
			throw brokenAnswer(answer.where, `sent an event of more than ${maxBytes} bytes`);
		}
	}
	event.add(Buffer.concat(rest));
	yield* event.take();
}

/** An event whose lines are still coming. */
class Draft {
	#data: Buffer[] = [];
	length = 0;

	add(line: Buffer): void {
		const colon = line.indexOf(0x3a);
		if (line.toString('latin1', 0, colon) !== 'data') return;
		const value = line.subarray(line[colon + 1] === 0x20 ? colon + 2 : colon + 1);
		if (this.#data.length > 0) this.#data.push(Buffer.of(newline));
		this.#data.push(value);
		this.length += value.length;
	}

	*take(): Generator<UpstreamEvent> {
		const [first, ...more] = this.#data;
		if (first) yield { data: more.length === 0 ? first : Buffer.concat([first, ...more]) };
		this.#data = [];
		this.length = 0;
	}
}

/** A byte order mark may stand before everything. */
function withoutMark(line: Buffer): Buffer {
	return line.toString('latin1', 0, 3) === '\xef\xbb\xbf' ? line.subarray(3) : line;
}

/** Lines end with LF, CRLF or CR: each becomes LF, also where a chunk ends between the two. */
class LineEnds {
	#isHalf = false;

	unify(chunk: Buffer): Buffer {
		const rest = this.#isHalf && chunk[0] === newline ? chunk.subarray(1) : chunk;
		this.#isHalf = chunk.at(-1) === carriageReturn;
		if (!rest.includes(carriageReturn)) return rest;
		return Buffer.from(rest.toString('latin1').replace(/\r\n?/g, '\n'), 'latin1');
	}
}
