import { constants } from 'node:fs';
import { access, mkdtemp, rm, stat, statfs } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { formatBytes } from '../format-bytes.ts';
import { type Finding, ok, problem, warning } from './finding.ts';
import { existingAncestor } from './paths.ts';

const megabyte = 1024 ** 2;
/** Free bytes below which there is a problem or a warning. */
const freeSpaceLimits = { problem: 100 * megabyte, warning: 2048 * megabyte };

/** Checks that a data folder exists or can be created, is private, and has free space on a local disk. */
export async function checkFolder(folder: string): Promise<Finding> {
	const check = 'data';
	const existing = existingAncestor(folder);
	const exists = existing === folder;
	const info = await stat(existing);
	if (!info.isDirectory()) {
		return problem(check, `${existing} is a file, not a folder`, `Remove it, or keep data elsewhere.`);
	}
	if (!(await isWritable(existing))) {
		const reason = exists ? 'cannot be written to' : `cannot be created: ${existing} cannot be written to`;
		return problem(check, `${folder} ${reason}`, `Give it to this user: chown, or another folder.`);
	}
	const { free, type } = await space(existing);
	const text = `${folder}${exists ? '' : ' (created by the first start)'}, ${formatBytes(free)} free`;
	const lowSpace = evaluateFreeSpace(check, text, free);
	if (lowSpace) return lowSpace;
	const network = networkName(type);
	if (network) {
		return warning(
			check,
			`${text}, on ${network}`,
			'Keep the database on a disk of this machine: SQLite needs locks that network file systems do not keep.',
		);
	}
	if (exists && isOpenToOthers(info.mode)) {
		return warning(check, `${text}, open to other users`, `chmod 700 ${folder}`);
	}
	return ok(check, text);
}

/** Checks that uploads can be spooled. Creates a folder and removes it. */
export async function checkTemp(folders: readonly string[]): Promise<Finding> {
	const check = 'uploads';
	const folder = tmpdir();
	try {
		await rm(await mkdtemp(join(folder, 'plinth-doctor-')), { recursive: true });
	} catch (error) {
		const { code } = error as { code?: string };
		return problem(
			check,
			`${folder} cannot be written to (${code ?? String(error)})`,
			'Set TMPDIR to a folder that can.',
		);
	}
	const { free } = await space(folder);
	const { dev } = await stat(folder);
	const data = await Promise.all(folders.map((path) => stat(existingAncestor(path))));
	const sharedDisk = data.some((info) => info.dev === dev) ? ', on the same disk as the data' : '';
	const text = `wait in ${folder}, ${formatBytes(free)} free${sharedDisk}`;
	return evaluateFreeSpace(check, text, free) ?? ok(check, text);
}

/** The finding for little free space; undefined when there is enough. */
export function evaluateFreeSpace(check: string, text: string, free: number): Finding | undefined {
	const remedy = 'Make room, or choose a larger disk.';
	if (free < freeSpaceLimits.problem) return problem(check, text, remedy);
	return free < freeSpaceLimits.warning ? warning(check, text, remedy) : undefined;
}

/** Whether other users may read, write or enter. Always false on Windows, which has no such bits. */
export function isOpenToOthers(mode: number): boolean {
	return process.platform !== 'win32' && (mode & 0o077) !== 0;
}

async function isWritable(folder: string): Promise<boolean> {
	return access(folder, constants.W_OK | constants.X_OK).then(
		() => true,
		() => false,
	);
}

async function space(folder: string): Promise<{ free: number; type: number }> {
	const { bavail, bsize, type } = await statfs(folder);
	return { free: bavail * bsize, type };
}

/** Network file systems by their magic numbers (Linux, statfs(2)). A FUSE file system may be a network one. */
const networks: ReadonlyMap<number, string> = new Map([
	[0x6969, 'NFS'],
	[0x517b, 'SMB'],
	[0xff534d42, 'CIFS'],
	[0xfe534d42, 'SMB'],
	[0x0102_1997, '9P'],
	[0x00c3_6400, 'Ceph'],
	[0x5346_414f, 'AFS'],
	[0x0bd0_0bd0, 'Lustre'],
	[0x6573_5546, 'FUSE, which may be a network file system'],
]);

/** The name of a network file system; undefined for local ones, and on other systems than Linux. */
export function networkName(type: number): string | undefined {
	return process.platform === 'linux' ? networks.get(type >>> 0) : undefined;
}
