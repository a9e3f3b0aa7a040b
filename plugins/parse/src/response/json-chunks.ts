import { setImmediate as yieldToEventLoop } from 'node:timers/promises';

/** Characters of text per chunk, which has about as many bytes. */
const chunkLength = 65_536;

/**
 * Serialises a value as JSON in UTF-8 chunks of bounded size. One string of many megabytes would block the
 * event loop, and may exceed the maximum string length. Each chunk is made in its own tick of the event
 * loop, because a fast client would read them all in one.
 */
export async function* jsonChunks(value: unknown): AsyncGenerator<Uint8Array> {
	let buffer = '';
	for (const part of partsOf(value)) {
		buffer += part;
		if (buffer.length < chunkLength) continue;
		yield Buffer.from(buffer);
		buffer = '';
		await yieldToEventLoop();
	}
	yield Buffer.from(buffer);
}

function* partsOf(value: unknown): Generator<string> {
	if (typeof value === 'string') yield* stringParts(value);
	else if (Array.isArray(value)) yield* listParts(value);
	else if (typeof value === 'object' && value !== null) yield* objectParts(value);
	else yield JSON.stringify(value);
}

/** A surrogate pair that is split is escaped; its meaning stays the same. */
function* stringParts(text: string): Generator<string> {
	if (text.length <= chunkLength) {
		yield JSON.stringify(text);
		return;
	}
	yield '"';
	for (let at = 0; at < text.length; at += chunkLength) {
		yield JSON.stringify(text.slice(at, at + chunkLength)).slice(1, -1);
	}
	yield '"';
}

function* listParts(list: readonly unknown[]): Generator<string> {
	for (const [index, item] of list.entries()) {
		yield index === 0 ? '[' : ',';
		yield* partsOf(item);
	}
	yield list.length === 0 ? '[]' : ']';
}

function* objectParts(object: object): Generator<string> {
	let separator = '{';
	for (const [key, member] of Object.entries(object)) {
		if (member === undefined) continue;
		yield `${separator}${JSON.stringify(key)}:`;
		separator = ',';
		yield* partsOf(member);
	}
	yield separator === '{' ? '{}' : '}';
}
