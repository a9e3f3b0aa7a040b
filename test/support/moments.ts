import { EventEmitter, once } from 'node:events';
import { type FSWatcher, mkdirSync, watch } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { Fleet } from './fleet.ts';

/** When a process is killed. The middle four are seen in the directories, the others are told by clients. */
export const momentNames = [
	'at random',
	/** A create has been sent and not answered. */
	'asking',
	/** A picture is on its way to a temporary file. */
	'uploading',
	/** A picture is stored, its record is not yet. */
	'attached',
	/** A blob is being written. */
	'writing',
	/** A video is stored, its record is not completed yet. */
	'stored',
	/** A 201 has arrived. */
	'answered',
	/** A job is nearly done. */
	'progressed',
] as const;

/** One of {@link momentNames}. */
export type MomentName = (typeof momentNames)[number];

/** Notices what happens in the directories of a fleet, beside what it is told. */
export class Moments {
	readonly #events = new EventEmitter();
	readonly #watchers: readonly FSWatcher[];

	constructor({ dataDir, tempDir }: Fleet) {
		const blobs = join(dataDir, 'blobs');
		const unfinished = join(blobs, '@tmp');
		mkdirSync(unfinished, { recursive: true });
		this.#watchers = [
			watch(tempDir, () => this.happened('uploading')),
			watch(unfinished, () => this.happened('writing')),
			watch(blobs, { recursive: true }, (_, path) => {
				if (path?.includes('/input/')) this.happened('attached');
				if (path?.endsWith('video.mp4@')) this.happened('stored');
			}),
		];
		for (const watcher of this.#watchers) watcher.on('error', () => {});
	}

	happened(moment: MomentName): void {
		this.#events.emit(moment);
	}

	/** Waits for a moment; false when it has not come within `timeoutMs`. */
	async wait(moment: MomentName, timeoutMs: number): Promise<boolean> {
		const over = new AbortController();
		const { signal } = over;
		try {
			return await Promise.race([
				once(this.#events, moment, { signal }).then(() => true),
				delay(timeoutMs, false, { signal }),
			]);
		} finally {
			over.abort();
		}
	}

	close(): void {
		for (const watcher of this.#watchers) watcher.close();
	}
}
