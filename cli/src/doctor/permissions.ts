import { lstat, opendir } from 'node:fs/promises';
import { join } from 'node:path';
import { isOpenToOthers } from './disks.ts';
import { type Finding, ok, warning } from './finding.ts';

/** The maximum number of files to check. In a large store, the first files are representative. */
const maxEntries = 10_000;

/** Checks that the data files are private to their owner, and that none of them has a time in the future. */
export async function checkFiles(folders: readonly string[]): Promise<readonly Finding[]> {
	const openPaths: string[] = [];
	let [count, newest] = [0, 0];
	for (const folder of folders) {
		for await (const { path, mode, mtimeMs } of entries(folder)) {
			count += 1;
			newest = Math.max(newest, mtimeMs);
			if (isOpenToOthers(mode)) openPaths.push(path);
			if (count >= maxEntries) break;
		}
	}
	return [permissions(folders, count, openPaths), ...clockFindings(newest, Date.now())];
}

function permissions(folders: readonly string[], count: number, [first, ...others]: readonly string[]): Finding {
	const check = 'permissions';
	if (first === undefined) {
		return ok(check, count === 0 ? 'no files yet' : `${count} files and folders, all private`);
	}
	return warning(
		check,
		`other users may reach ${first}${others.length > 0 ? ` and ${others.length} more` : ''}`,
		`chmod -R go= ${folders.join(' ')}`,
	);
}

/** Warns when the clock was set back: leases and expiry times would then last too long. */
function clockFindings(newest: number, now: number): readonly Finding[] {
	if (newest <= now + 60_000) return [];
	const text = `a stored file was written at ${new Date(newest).toISOString()}, which is in the future`;
	return [warning('clock', text, 'Set the clock, best by NTP.')];
}

async function* entries(folder: string): AsyncGenerator<{ path: string; mode: number; mtimeMs: number }> {
	const pending = [folder];
	for (let folder = pending.pop(); folder !== undefined; folder = pending.pop()) {
		const listing = await opendir(folder).catch(() => undefined);
		if (!listing) continue;
		for await (const entry of listing) {
			const path = join(folder, entry.name);
			// The file may have been deleted by a running server.
			const info = await lstat(path).catch(() => undefined);
			if (!info || entry.isSymbolicLink()) continue;
			yield { path, mode: info.mode, mtimeMs: info.mtimeMs };
			if (entry.isDirectory()) pending.push(path);
		}
	}
}
