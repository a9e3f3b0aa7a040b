import { execFileSync } from 'node:child_process';
import { copyFileSync, existsSync, lstatSync, mkdirSync, readdirSync, readlinkSync, symlinkSync } from 'node:fs';
import { dirname, join } from 'node:path';

/**
 * Copies the files that git tracks, or would track, to an empty folder. Packages from npm are links to those of the
 * repository. Workspace packages are links to their copies.
 */
export function copyRepository(root: string, copy: string): void {
	for (const file of trackedFiles(root)) {
		mkdirSync(dirname(join(copy, file)), { recursive: true });
		copyEntry(join(root, file), join(copy, file));
	}
	for (const folder of ['.', ...nestedPackages(root)]) {
		linkModules(root, copy, join(folder, 'node_modules'));
	}
}

function trackedFiles(root: string): readonly string[] {
	const args = ['ls-files', '-z', '--cached', '--others', '--exclude-standard'];
	const listed = execFileSync('git', args, { cwd: root, encoding: 'utf8', maxBuffer: 2 ** 26 });
	return listed.split('\0').filter((file) => file !== '' && existsSync(join(root, file)));
}

/** Packages with their own `node_modules`, because they need other versions. */
function nestedPackages(root: string): readonly string[] {
	return ['core', 'plugins', 'adapters']
		.flatMap((parent) => readdirSync(join(root, parent)).map((name) => join(parent, name)))
		.concat('cli')
		.filter((folder) => existsSync(join(root, folder, 'node_modules')));
}

function linkModules(root: string, copy: string, folder: string): void {
	const [from, to] = [join(root, folder), join(copy, folder)];
	mkdirSync(to, { recursive: true });
	for (const entry of readdirSync(from, { withFileTypes: true })) {
		const name = join(folder, entry.name);
		if (entry.name.startsWith('.vite')) continue;
		// Workspace links are relative, so they resolve to the copied packages.
		if (entry.isSymbolicLink()) copyEntry(join(root, name), join(copy, name));
		else if (entry.name.startsWith('@')) linkModules(root, copy, name);
		else symlinkSync(join(root, name), join(copy, name));
	}
}

function copyEntry(from: string, to: string): void {
	if (lstatSync(from).isSymbolicLink()) symlinkSync(readlinkSync(from), to);
	else copyFileSync(from, to);
}
