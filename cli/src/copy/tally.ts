import { createHash } from 'node:crypto';

/** A count of items and a digest of all of them, which does not depend on their order. */
export class Tally {
	count = 0;
	bytes = 0;
	#sum = 0n;

	/** Counts an item, which must be JSON data, and returns its size in bytes. */
	add(item: unknown, bytes?: number): number {
		const text = JSON.stringify(item, sortMembers);
		const size = bytes ?? Buffer.byteLength(text);
		this.count += 1;
		this.bytes += size;
		this.#sum = BigInt.asUintN(256, this.#sum + BigInt(`0x${createHash('sha256').update(text).digest('hex')}`));
		return size;
	}

	equals(other: Tally): boolean {
		return this.count === other.count && this.bytes === other.bytes && this.#sum === other.#sum;
	}
}

/** Sorts the members of objects, because stores return them in different orders. */
function sortMembers(_: string, value: unknown): unknown {
	if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
	return Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)));
}
