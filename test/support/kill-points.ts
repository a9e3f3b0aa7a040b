import { EventEmitter, once } from 'node:events';
import { type FSWatcher, mkdirSync, watch } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { Fleet } from './fleet.ts';

/**
 * When a process is killed. The middle four points are observed in the directories, the others are reported by clients.
 */
export const killPointNames = [
	'at random',
	/** A create request has been sent and not answered. */
	'create sent',
	/** An uploaded image is being written to a temporary file. */
	'upload started',
	/** An uploaded image is stored, its record is not. */
	'upload stored',
	/** A blob is being written. */
	'blob started',
	/** A video is stored, its record is not yet completed. */
	'video stored',
	/** A 201 has arrived. */
	'create acknowledged',
	/** A job is nearly completed. */
	'nearly completed',
] as const;

/** One of {@link killPointNames}. */
export type KillPointName = (typeof killPointNames)[number];

/** Observes the directories of a fleet and emits the kill points, together with those that clients report. */
export class KillPoints {
	readonly #events = new EventEmitter();
	readonly #watchers: readonly FSWatcher[];

	constructor({ dataDir, tempDir }: Fleet) {
		const blobs = join(dataDir, 'blobs');
		const unfinished = join(blobs, '@tmp');
		mkdirSync(unfinished, { recursive: true });
		this.#watchers = [
			watch(tempDir, () => this.emit('upload started')),
			watch(unfinished, () => this.emit('blob started')),
			watch(blobs, { recursive: true }, (_, path) => {
				if (path?.includes('/input/')) this.emit('upload stored');
				if (path?.endsWith('video.mp4@')) this.emit('video stored');
			}),
		];
		for (const watcher of this.#watchers) watcher.on('error', () => {});
	}

	emit(point: KillPointName): void {
		this.#events.emit(point);
	}

	/** Waits for a kill point. Resolves to false when it has not occurred within `timeoutMs`. */
	async wait(point: KillPointName, timeoutMs: number): Promise<boolean> {
		const waiting = new AbortController();
		const { signal } = waiting;
		try {
			return await Promise.race([
				once(this.#events, point, { signal }).then(() => true),
				delay(timeoutMs, false, { signal }),
			]);
		} finally {
			waiting.abort();
		}
	}

	close(): void {
		for (const watcher of this.#watchers) watcher.close();
	}
}
