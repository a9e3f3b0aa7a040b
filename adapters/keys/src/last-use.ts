import type { Clock, Logger } from '@plinth/core';
import type { KeyRecords, StoredKey } from './key-records.ts';

/** Interval in which the last use of a key is written, in milliseconds. */
const intervalMs = 60_000;

/** Maximum number of keys in memory. */
const maxRemembered = 10_000;

/** Records the last use of keys in the background, without delaying or failing requests. */
export class LastUse {
	readonly #records: KeyRecords;
	readonly #clock: Clock;
	readonly #log: Logger;
	/** Start of the last write by digest, so that a failing store is not called by every request. */
	readonly #lastWrites = new Map<string, number>();

	constructor(records: KeyRecords, clock: Clock, log: Logger) {
		this.#records = records;
		this.#clock = clock;
		this.#log = log;
	}

	/** Records a use, with at most one write per key and minute, including writes of other processes. */
	record(key: StoredKey): void {
		const now = this.#clock.now();
		const isRecent = (at: number | undefined) => at !== undefined && Math.abs(now - at) < intervalMs;
		if (isRecent(key.value.lastUsedAt) || isRecent(this.#lastWrites.get(key.id))) return;
		// Clearing bounds the memory; it only causes additional writes.
		if (this.#lastWrites.size >= maxRemembered) this.#lastWrites.clear();
		this.#lastWrites.set(key.id, now);
		void this.#write(key, now);
	}

	async #write(key: StoredKey, now: number): Promise<void> {
		try {
			await this.#records.touch(key, now);
		} catch (err) {
			this.#log.warn({ err }, 'the last use of a key could not be recorded');
		}
	}
}
