import { type FSWatcher, watch } from 'node:fs';
import { basename, dirname, join } from 'node:path';

/** Editors write a file in several steps. A change is reported when no other follows within this time. */
const quietMs = 100;

/** What `FileChanges` needs to know. */
export interface FileChangesOptions {
	/** Selects files of watched folders that are reported in addition to the added files. */
	readonly isRelevant: (path: string) => boolean;
	/** Receives why a folder is not watched: only the first reason, because the others are usually the same. */
	readonly onFailure: (reason: string) => void;
	/** Watches a folder: `watch` of `node:fs` by default. */
	readonly watchFolder?: typeof watch;
}

/** Reports changes of files. Folders are watched, because editors replace files. */
export class FileChanges {
	readonly #isRelevant: FileChangesOptions['isRelevant'];
	readonly #onFailure: FileChangesOptions['onFailure'];
	readonly #watchFolder: typeof watch;
	readonly #files = new Set<string>();
	readonly #folders = new Map<string, FSWatcher>();
	#changed: string | undefined;
	#isClosed = false;
	#hasFailed = false;
	#timer: NodeJS.Timeout | undefined;
	#report = () => {};

	constructor({ isRelevant, onFailure, watchFolder = watch }: FileChangesOptions) {
		this.#isRelevant = isRelevant;
		this.#onFailure = onFailure;
		this.#watchFolder = watchFolder;
	}

	/** Watches a file, which need not exist. */
	add(file: string): void {
		this.#files.add(file);
		this.addFolder(dirname(file));
	}

	/** Watches a folder for files that were added or that `isRelevant` selects. Can be repeated after a failure. */
	addFolder(folder: string): void {
		if (this.#isClosed || this.#folders.has(folder)) return;
		try {
			const watcher = this.#watchFolder(folder, (_event, name) =>
				this.#handleChange(join(folder, basename(name ?? ''))),
			);
			this.#folders.set(folder, watcher);
			watcher.on('error', (error) => {
				watcher.close();
				this.#folders.delete(folder);
				this.#handleFailure(error);
			});
		} catch (error) {
			this.#handleFailure(error as Error);
		}
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

	/** A folder may have gone, and the system limits how many are watched (ENOSPC). */
	#handleFailure({ message }: Error): void {
		if (this.#hasFailed) return;
		this.#hasFailed = true;
		this.#onFailure(message);
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
