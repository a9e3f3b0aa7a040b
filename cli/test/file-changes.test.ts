import { EventEmitter } from 'node:events';
import type { FSWatcher, watch } from 'node:fs';
import { expect, test } from 'vitest';
import { FileChanges } from '../src/dev/file-changes.ts';

class FakeWatcher extends EventEmitter {
	isClosed = false;

	close(): void {
		this.isClosed = true;
	}
}

/** Watches folders with `watchFolder`, which gets the path of each, and collects the reported failures. */
function changesOf(watchFolder: (folder: string) => FakeWatcher) {
	const failures: string[] = [];
	const changes = new FileChanges({
		isRelevant: () => false,
		onFailure: (reason) => failures.push(reason),
		watchFolder: ((folder: string) => watchFolder(folder) as unknown as FSWatcher) as typeof watch,
	});
	return { changes, failures };
}

test('a folder that cannot be watched is reported once, and does not throw', () => {
	const { changes, failures } = changesOf((folder) => {
		throw new Error(`ENOSPC: System limit for number of file watchers reached, watch '${folder}'`);
	});
	changes.add('/a/config.ts');
	changes.add('/b/module.ts');
	expect(failures).toEqual(["ENOSPC: System limit for number of file watchers reached, watch '/a'"]);
});

test('a folder whose watcher has failed is watched again when a file of it is added', () => {
	const watchers: FakeWatcher[] = [];
	const { changes, failures } = changesOf(() => {
		const watcher = new FakeWatcher();
		watchers.push(watcher);
		return watcher;
	});
	changes.add('/a/config.ts');
	watchers[0]?.emit('error', new Error('EPERM: operation not permitted, watch'));
	changes.add('/a/config.ts');
	changes.add('/a/module.ts');
	expect(failures).toEqual(['EPERM: operation not permitted, watch']);
	expect(watchers.map(({ isClosed }) => isClosed)).toEqual([true, false]);
	changes.close();
	expect(watchers.map(({ isClosed }) => isClosed)).toEqual([true, true]);
});
