import type { UpstreamAnswer } from './answer.ts';
import { brokenAnswer } from './failure.ts';

/** A server-sent event. */
export interface UpstreamEvent {
	/** Its `data:` lines. */
	readonly data: Buffer;
}

const newline = 0x0a;

/**
 * The events of an answer (HTML living standard §9.2.6), names, comments and other fields left out: every event says in its data what it is. What stands behind the last blank line is an event as
 * well: some servers end without one. Throws `E_MODEL_FAILED` for an event of more than `maxBytes`.
 */
export async function* eventsOf(
	answer: UpstreamAnswer,
	maxBytes: number,
): AsyncGenerator<UpstreamEvent> {
	const event = new Draft();
	let rest: Buffer[] = [];
	for await (const chunk of answer.chunks(Number.POSITIVE_INFINITY)) {
		let from = 0;
		for (let at = chunk.indexOf(newline); at >= 0; at = chunk.indexOf(newline, from)) {
			const part = chunk.subarray(from, at);
			const line = rest.length === 0 ? part : Buffer.concat([...rest, part]);
			rest = [];
			from = at + 1;
			if (isBlank(line)) yield* event.take();
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
		const value = line.subarray(line[colon + 1] === 0x20 ? colon + 2 : colon + 1, endOf(line));
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

function isBlank(line: Buffer): boolean {
	return endOf(line) === 0;
}

function endOf(line: Buffer): number {
	return line.at(-1) === 0x0d ? line.length - 1 : line.length;
}
