/** How much of the end of an answer is kept, in bytes. */
const tailBytes = 4_096;

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

/** The end of a body that passes by in chunks. It keeps the last chunks, and copies nothing. */
export class AnswerTail {
	readonly #chunks: Buffer[] = [];
	#bytes = 0;

	add(chunk: Buffer): void {
		this.#chunks.push(chunk);
		this.#bytes += chunk.length;
		for (;;) {
			const first = this.#chunks[0];
			if (!first || this.#bytes - first.length < tailBytes) return;
			this.#bytes -= first.length;
			this.#chunks.shift();
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

	/** At most so many bytes of the end. Latin-1, which is enough for what is looked for. */
	#text(bytes: number): string {
		const { length } = this.#chunks;
		const last = this.#chunks[length - 1];
		if (!last) return '';
		if (last.length >= bytes) return last.toString('latin1', last.length - bytes);
		return Buffer.concat(this.#chunks).toString('latin1', Math.max(0, this.#bytes - bytes));
	}
}

/** The object behind a name; undefined for another value, or one that does not end. */
function objectAt(text: string, behindName: number): unknown {
	const start = /^\s*:\s*(?=\{)/.exec(text.slice(behindName));
	if (!start) return undefined;
	const from = behindName + start[0].length;
	let depth = 0;
	for (let at = from; at < text.length; at++) {
		if (text[at] === '{') depth++;
		else if (text[at] === '}' && --depth === 0) return parsed(text.slice(from, at + 1));
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
