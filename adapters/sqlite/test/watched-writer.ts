// The writer thread, extended to report the sync mode at each commit
// (https://www.sqlite.org/pragma.html#pragma_synchronous).
import { DatabaseSync } from 'node:sqlite';
import { parentPort } from 'node:worker_threads';

const exec = DatabaseSync.prototype.exec;

DatabaseSync.prototype.exec = function (this: DatabaseSync, sql: string): void {
	if (sql === 'COMMIT') parentPort?.postMessage(this.prepare('PRAGMA synchronous').get());
	exec.call(this, sql);
};

await import('../src/engine/writer.ts');
