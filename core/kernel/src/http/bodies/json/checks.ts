import { isUtf8 } from 'node:buffer';

/** Whether bytes that arrive in chunks are UTF-8 (RFC 3629). A character may be split between chunks. */
export class Utf8Check {
	/** The bytes of a character that goes on in the next chunk: three at most. */
	#carried: Buffer = Buffer.alloc(0);

	/** False as soon as the bytes cannot be UTF-8 any more. */
	push(chunk: Buffer): boolean {
		const bytes = this.#carried.length > 0 ? Buffer.concat([this.#carried, chunk]) : chunk;
		const whole = bytes.length - splitAtEnd(bytes);
		// A copy, so that the chunk can be freed.
		this.#carried = Buffer.from(bytes.subarray(whole));
		return isUtf8(bytes.subarray(0, whole));
	}

	/** False when the last character is cut off. */
	end(): boolean {
		return this.#carried.length === 0;
	}
}

/** How many bytes at the end are the beginning of a longer character. */
function splitAtEnd(bytes: Buffer): number {
	for (let count = 1; count <= Math.min(3, bytes.length); count++) {
		const byte = bytes[bytes.length - count] ?? 0;
		if (byte < 0x80) return 0;
		if (byte >= 0xc0) return (byte >= 0xf0 ? 4 : byte >= 0xe0 ? 3 : 2) > count ? count : 0;
	}
	return 0;
}

/** Whether a parsed value nests deeper than `depth` levels. */
export function isDeep(value: unknown, depth: number): boolean {
	let below = 0;
	for (const _ of levels(value)) if (++below > depth) return true;
	return false;
}

/**
 * Whether an object somewhere in a parsed value has its own key `__proto__`, or a key `constructor` whose value has a
 * key `prototype`: a careless merge would write through either into every object of the process.
 */
export function hasPoison(value: unknown): boolean {
	for (const level of levels(value)) {
		if (level.some((node) => Object.hasOwn(node, '__proto__') || reachesPrototype(node))) return true;
	}
	return false;
}

function reachesPrototype(node: object): boolean {
	if (!Object.hasOwn(node, 'constructor')) return false;
	const value: unknown = node.constructor;
	return isObject(value) && Object.hasOwn(value, 'prototype');
}

/** The arrays and objects of a value, level by level. Not by recursion, which deep input would overflow. */
function* levels(value: unknown): Generator<readonly object[]> {
	let level = [value].filter(isObject);
	while (level.length > 0) {
		yield level;
		level = level.flatMap((node) => Object.values(node).filter(isObject));
	}
}

function isObject(value: unknown): value is object {
	return typeof value === 'object' && value !== null;
}
