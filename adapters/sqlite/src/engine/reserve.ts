import { closeSync, openSync, rmSync, statfsSync, statSync, writeSync } from 'node:fs';
import { dirname } from 'node:path';

/** More than the write-ahead log holds before SQLite copies it into the file, so that it can always be copied. */
const reserveBytes = 4 * 1024 * 1024;
/** What must be left beside a new reserve. */
const marginBytes = 1024 * 1024;

/**
 * A file beside the database that only takes up room. SQLite needs room for every write, also for those that
 * delete; on a full disk the reserve gives way to them. It lies on the disk for all processes that have the
 * database open.
 */
export class Reserve {
	readonly #path: string;
	#isWanted = false;

	constructor(database: string) {
		this.#path = `${database}-reserve`;
	}

	/** False from when the reserve was first wanted until it stands again: then the disk counts as full. */
	hasRoom(): boolean {
		return !this.#isWanted || this.restore();
	}

	/** Makes the reserve unless it is there. False when the disk has no room for it. */
	restore(): boolean {
		this.#isWanted = true;
		if (this.#isWhole()) return true;
		if (freeBytes(this.#path) < reserveBytes + marginBytes) return false;
		try {
			const file = openSync(this.#path, 'w', 0o600);
			try {
				// Written, not set to a length: a file of holes takes up no room.
				const zeros = Buffer.alloc(reserveBytes);
				for (let at = 0; at < reserveBytes; ) at += writeSync(file, zeros, at);
			} finally {
				closeSync(file);
			}
			return true;
		} catch {
			this.release();
			return false;
		}
	}

	/** Gives the room to others. */
	release(): void {
		this.#isWanted = true;
		rmSync(this.#path, { force: true });
	}

	#isWhole(): boolean {
		return statSync(this.#path, { throwIfNoEntry: false })?.size === reserveBytes;
	}
}

function freeBytes(path: string): number {
	try {
		const { bavail, bsize } = statfsSync(dirname(path));
		return bavail * bsize;
	} catch {
		// A file system that does not tell: the write itself will.
		return Number.POSITIVE_INFINITY;
	}
}
