import { execFile } from 'node:child_process';
import { closeSync, openSync, writeSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';

const exec = promisify(execFile);

/** A small file system. */
export interface SmallDisk {
	readonly dir: string;
	/** Fills all free space. */
	fill(): void;
	/** Frees the space that `fill` took. */
	empty(): Promise<void>;
	/** Unmounts and removes it. */
	remove(): Promise<void>;
}

/** Mounts a file system in memory. Rejects with a helpful message when this user may not mount. */
export async function smallDisk(megabytes: number): Promise<SmallDisk> {
	const dir = await mkdtemp(join(tmpdir(), 'small-disk-'));
	try {
		await exec('mount', ['-t', 'tmpfs', '-o', `size=${megabytes}m,mode=0700`, 'tmpfs', dir]);
	} catch (cause) {
		await rm(dir, { recursive: true });
		throw new Error(
			'This test could not mount a small file system. Run it on Linux as root, in a container with CAP_SYS_ADMIN.',
			{ cause },
		);
	}
	const ballast = join(dir, 'ballast');
	return {
		dir,
		fill: () => fillWith(ballast),
		empty: () => rm(ballast, { force: true }),
		async remove() {
			await exec('umount', ['--lazy', dir]);
			await rm(dir, { recursive: true });
		},
	};
}

function fillWith(path: string): void {
	const file = openSync(path, 'a');
	try {
		for (let bytes = 1_048_576; bytes >= 1; ) {
			try {
				writeSync(file, Buffer.alloc(bytes));
			} catch (error) {
				if ((error as NodeJS.ErrnoException).code !== 'ENOSPC') throw error;
				bytes = Math.floor(bytes / 2);
			}
		}
	} finally {
		closeSync(file);
	}
}
