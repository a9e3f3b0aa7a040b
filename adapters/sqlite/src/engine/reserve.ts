import { closeSync, openSync, rmSync, statfsSync, statSync, writeSync } from 'node:fs';
import { dirname } from 'node:path';

/** Larger than the write-ahead log gets before SQLite copies it into the file, so that the copy always fits. */
const reserveBytes = 4 * 1024 * 1024;
/** The space that must remain free after the reserve is created. */
const marginBytes = 1024 * 1024;

/**
 * A file next to the database that only occupies space. SQLite needs space for every write, also for deletions. On a
 * full disk the reserve is deleted to make that space. All processes that have the database open share one reserve.
 */
export class Reserve {
	readonly #path: string;
	#isRequired = false;

	constructor(database: string) {
		this.#path = `${database}-reserve`;
	}

	/** False while the reserve is required but missing, and cannot be created: the disk then counts as full. */
	hasRoom(): boolean {
		return !this.#isRequired || this.restore();
	}

	/** Creates the reserve unless it exists. False when the disk has no space for it. */
	restore(): boolean {
		this.#isRequired = true;
		if (this.#isWhole()) return true;
		if (freeBytes(this.#path) < reserveBytes + marginBytes) return false;
		try {
			const file = openSync(this.#path, 'w', 0o600);
			try {
				// Written in full, because a sparse file occupies no space.
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

	/** Deletes the reserve to free its space. */
	release(): void {
		this.#isRequired = true;
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
		// The file system does not report its free space. Without enough space, the write itself fails.
		return Number.POSITIVE_INFINITY;
	}
}
