/** How much of the end of an answer is kept, in bytes. */
export const tailBytes = 4_096;

/** How many members `usage` are looked at: each piece of a stream may have one that is null. */
const mostTries = 16;

/** What may be told of a model's usage. */
const counts = [
	'prompt_tokens',
	'completion_tokens',
	'total_tokens',
	'input_tokens',
	'output_tokens',
] as const;

/** The end of a body that passes by in pieces, as Latin-1. It keeps the last pieces, and copies nothing. */
export class AnswerTail {
	readonly #pieces: string[] = [];
	#bytes = 0;

	/** Of a piece longer than what is kept, its end is enough. */
	add(piece: string): void {
		this.#pieces.push(piece);
		this.#bytes += piece.length;
		for (;;) {
			const first = this.#pieces[0];
			if (first === undefined || this.#bytes - first.length < tailBytes) return;
			this.#bytes -= first.length;
			this.#pieces.shift();
		}
	}

	/** Whether a server-sent event (WHATWG HTML, §9.2) has ended there, or nothing has come yet. */
	get endsEvent(): boolean {
		if (this.#bytes === 0) return true;
		const end = this.#text(4);
		return end.endsWith('\n\n') || end === '\r\n\r\n';
	}

	/** The numbers of the last object under `usage`, in JSON or in an event stream of JSON; undefined when there is none. */
	usage(): Readonly<Record<string, number>> | undefined {
		const text = this.#text(tailBytes);
		let at = text.length;
		for (let tries = 0; tries < mostTries && at > 0; tries++) {
			// In a string its quotes would be escaped, so this is a name.
			at = text.lastIndexOf('"usage"', at - 1);
			if (at < 0) return undefined;
			const found = numbersOf(objectAt(text, at + '"usage"'.length));
			if (found) return found;
		}
		return undefined;
	}

	/** At most so many bytes of the end. */
	#text(bytes: number): string {
		const last = this.#pieces.at(-1) ?? '';
		const isEnough = this.#pieces.length === 1 || last.length >= bytes;
		return (isEnough ? last : this.#pieces.join('')).slice(-bytes);
	}
}

/** What stands between a name and an object. */
const colon = /\s*:\s*(?=\{)/y;

/** The object behind a name; undefined for another value, or one that does not end. */
function objectAt(text: string, behindName: number): unknown {
	colon.lastIndex = behindName;
	if (!colon.test(text)) return undefined;
	const from = colon.lastIndex;
	let depth = 0;
	for (let at = from; at < text.length; at++) {
		const code = text.charCodeAt(at);
		if (code === 0x7b) depth++;
		else if (code === 0x7d && --depth === 0) return parsed(text.slice(from, at + 1));
	}
	return undefined;
}

function parsed(text: string): unknown {
	try {
		return JSON.parse(text);
	} catch {
		return undefined;
	}
}

function numbersOf(value: unknown): Readonly<Record<string, number>> | undefined {
	if (typeof value !== 'object' || value === null) return undefined;
	const found: Record<string, number> = {};
	for (const name of counts) {
		const count: unknown = Object.hasOwn(value, name) && (value as Record<string, unknown>)[name];
		if (typeof count === 'number') found[name] = count;
	}
	return Object.keys(found).length > 0 ? found : undefined;
}
