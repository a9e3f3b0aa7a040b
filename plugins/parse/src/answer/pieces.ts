import { setImmediate as turn } from 'node:timers/promises';

/** Characters of text that are turned into JSON at once, and about as many bytes are written at once. */
const sliceLength = 65_536;

/**
 * A value as JSON text in UTF-8, in pieces that are each made within a bounded time: one text of many megabytes would keep the process
 * from its other requests, and may be longer than a string can be. They are made in turns of the event loop of their own: a client that
 * reads as fast as they are written would get all of them in one.
 */
export async function* jsonPieces(value: unknown): AsyncGenerator<Uint8Array> {
	let waiting = '';
	for (const part of partsOf(value)) {
		waiting += part;
		if (waiting.length < sliceLength) continue;
		yield Buffer.from(waiting);
		waiting = '';
		await turn();
	}
	yield Buffer.from(waiting);
}

function* partsOf(value: unknown): Generator<string> {
	if (typeof value === 'string') yield* stringParts(value);
	else if (Array.isArray(value)) yield* listParts(value);
	else if (typeof value === 'object' && value !== null) yield* objectParts(value);
	else yield JSON.stringify(value);
}

/** A pair of surrogates that is cut in two is escaped, and means the same. */
function* stringParts(text: string): Generator<string> {
	if (text.length <= sliceLength) {
		yield JSON.stringify(text);
		return;
	}
	yield '"';
	for (let at = 0; at < text.length; at += sliceLength) {
		yield JSON.stringify(text.slice(at, at + sliceLength)).slice(1, -1);
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
	let before = '{';
	for (const [key, member] of Object.entries(object)) {
		if (member === undefined) continue;
		yield `${before}${JSON.stringify(key)}:`;
		before = ',';
		yield* partsOf(member);
	}
	yield before === '{' ? '{}' : '}';
}
