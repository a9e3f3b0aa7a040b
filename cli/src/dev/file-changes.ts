import { type FSWatcher, watch } from 'node:fs';
import { basename, dirname, join } from 'node:path';

/** Editors write a file in several steps. A change is reported when no other follows within this time. */
const quietMs = 100;

/** Reports changes of files. Folders are watched, because editors replace files. */
export class FileChanges {
	readonly #isRelevant: (path: string) => boolean;
	readonly #files = new Set<string>();
	readonly #folders = new Map<string, FSWatcher>();
	#changed: string | undefined;
	#isClosed = false;
	#timer: NodeJS.Timeout | undefined;
	#report = () => {};

	/** `isRelevant` selects files of watched folders that are reported in addition to the added files. */
	constructor(isRelevant: (path: string) => boolean) {
		this.#isRelevant = isRelevant;
	}

	/** Watches a file, which need not exist. */
	add(file: string): void {
		this.#files.add(file);
		this.addFolder(dirname(file));
	}

	/** Watches a folder for files that were added or that `isRelevant` selects. */
	addFolder(folder: string): void {
		if (this.#isClosed || this.#folders.has(folder)) return;
		const watcher = watch(folder, (_event, name) => this.#handleChange(join(folder, basename(name ?? ''))));
		watcher.on('error', () => watcher.close());
		this.#folders.set(folder, watcher);
	}

	/** Resolves with the file that changed first since the last call, or with undefined after `close`. */
	async next(): Promise<string | undefined> {
		if (!this.#changed && !this.#isClosed) {
			await new Promise<void>((resolve) => {
				this.#report = resolve;
			});
		}
		const changed = this.#changed;
		this.#changed = undefined;
		return changed;
	}

	/** Ends the watch. */
	close(): void {
		this.#isClosed = true;
		this.#changed = undefined;
		clearTimeout(this.#timer);
		for (const watcher of this.#folders.values()) watcher.close();
		this.#report();
	}

	#handleChange(path: string): void {
		if (!this.#files.has(path) && !this.#isRelevant(path)) return;
		clearTimeout(this.#timer);
		this.#timer = setTimeout(() => {
			this.#changed ??= path;
			this.#report();
		}, quietMs);
	}
}
