import { readFileSync } from 'node:fs';
import type { DocumentReader } from '@plinth/toolkit';
import { CachedReader } from '../../adapters/documents/src/cache/cached-reader.ts';
import { PooledReader } from '../../adapters/documents/src/pool/reader.ts';

/** A request to this process: the texts of files, or the time to read one file. */
interface Question {
	readonly paths?: readonly string[];
	readonly timed?: { readonly path: string; readonly cached: boolean };
}

// As many processes as a server has by default. The time limit is long, because the machine may be busy with other
// work.
const pool = new PooledReader({ workers: 2, limits: { readMs: 60_000 } });
const read: DocumentReader['read'] = (document, options = {}, run = {}) => pool.read(document, options, run);
const cached = new CachedReader({ version: 'bench', read });

process.on('message', ({ paths, timed }: Question) => {
	void (paths ? texts(paths) : timed && time(timed.path, timed.cached));
});
process.send?.({ ready: true });

/** Sends the page texts of each file. An unreadable file has none. */
async function texts(paths: readonly string[]): Promise<void> {
	const textsByFile: string[][] = [];
	for (const path of paths) {
		const document = await read({ path }).catch(() => undefined);
		textsByFile.push(document?.pages?.map(({ text }) => text) ?? []);
	}
	process.send?.({ texts: textsByFile });
}

async function time(path: string, isCached: boolean): Promise<void> {
	const began = performance.now();
	const { pageCount } = await (isCached ? cached.read({ path }) : read({ path }));
	const ms = performance.now() - began;
	process.send?.({ ms, pageCount, peaks: pool.pool.pids.map(peakOf) });
}

/** The peak memory of a process, in bytes. */
function peakOf(pid: number): number {
	const status = readFileSync(`/proc/${pid}/status`, 'utf8');
	return Number(/^VmHWM:\s+(\d+) kB$/m.exec(status)?.[1] ?? 0) * 1024;
}
