import { type FSWatcher, watch } from 'node:fs';
import { basename, dirname, join } from 'node:path';

/** Editors write a file in several steps; a change is reported once no other has followed for this long. */
const quietMs = 100;

/** Reports changes of files. Folders are watched, because editors replace files. */
export class FileChanges {
	readonly #isWanted: (path: string) => boolean;
	readonly #files = new Set<string>();
	readonly #folders = new Map<string, FSWatcher>();
	#changed: string | undefined;
	#isClosed = false;
	#timer: NodeJS.Timeout | undefined;
	#report = () => {};

	/** `isWanted` names files in watched folders that matter besides those that were added. */
	constructor(isWanted: (path: string) => boolean) {
		this.#isWanted = isWanted;
	}

	/** Watches a file, which need not exist. */
	add(file: string): void {
		this.#files.add(file);
		this.addFolder(dirname(file));
	}

	/** Watches the files of a folder that are wanted. */
	addFolder(folder: string): void {
		if (this.#isClosed || this.#folders.has(folder)) return;
		const watcher = watch(folder, (_event, name) => this.#see(join(folder, basename(name ?? ''))));
		watcher.on('error', () => watcher.close());
		this.#folders.set(folder, watcher);
	}

	/** Resolves with the file that changed first since the last call. Undefined when the watch has ended. */
	async next(): Promise<string | undefined> {
		if (!this.#changed && !this.#isClosed) {
			await new Promise<void>((report) => {
				this.#report = report;
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

	#see(path: string): void {
		if (!this.#files.has(path) && !this.#isWanted(path)) return;
		clearTimeout(this.#timer);
		this.#timer = setTimeout(() => {
			this.#changed ??= path;
			this.#report();
		}, quietMs);
	}
}
