import type { Clock, Logger } from '@plinth/core';
import type { KeyRecords, StoredKey } from './key-records.ts';

/** How often the last use of a key is written, in milliseconds; so old may the shown instant be. */
const intervalMs = 60_000;

/** How many keys are remembered between their writes. */
const maxRemembered = 10_000;

/** Records when keys were last used, beside the requests: none waits for it, and none fails by it. */
export class LastUse {
	readonly #records: KeyRecords;
	readonly #clock: Clock;
	readonly #log: Logger;
	/** When the last write was begun, by digest; so a store that refuses writes is not asked again by every request. */
	readonly #lastWrites = new Map<string, number>();

	constructor(records: KeyRecords, clock: Clock, log: Logger) {
		this.#records = records;
		this.#clock = clock;
		this.#log = log;
	}

	/** Notes a use. At most one write per key and minute; the record tells of those that other processes have done. */
	record(key: StoredKey): void {
		const now = this.#clock.now();
		const isRecent = (at: number | undefined) =>
			at !== undefined && Math.abs(now - at) < intervalMs;
		if (isRecent(key.value.lastUsedAt) || isRecent(this.#lastWrites.get(key.id))) return;
		// Forgetting costs a write more, and no memory.
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
