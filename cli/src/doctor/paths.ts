import { createHash } from 'node:crypto';
import { accessSync, constants, existsSync, readdirSync, statSync } from 'node:fs';
import { basename, dirname, join, relative, resolve } from 'node:path';
import type { BackendInstance } from '@plinth/core';

type Backends = Readonly<Record<string, BackendInstance>>;

/** Options that name a place on a disk, whatever the backend. */
const folderOptions = ['dir', 'directory', 'folder', 'root'];
const pathOptions = [...folderOptions, 'file', 'path'];

/** The folders in which backends keep their files, absolute, without those that lie in another one. */
export function foldersOf(backends: Backends): readonly string[] {
	const folders = pathsOf(backends).map(({ option, path }) =>
		folderOptions.includes(option) ? path : dirname(path),
	);
	const unique = [...new Set(folders)];
	return unique.filter((folder) => !unique.some((other) => isInside(folder, other)));
}

/**
 * The same backends, with every place that is empty or can be made moved below `scratch`: trying them leaves nothing behind. One that
 * cannot be made stays, so that the trial fails as the server would.
 */
export function redirectPaths(
	backends: Backends,
	scratch: string,
): { readonly backends: Backends; readonly redirected: ReadonlySet<string> } {
	const redirected = new Set<string>();
	const replaced = Object.entries(backends).map(([id, instance]) => {
		const options = { ...(instance.options as Record<string, unknown>) };
		for (const { option, path } of pathsOf({ [id]: instance })) {
			if (hasContent(path) || !canCreate(path)) continue;
			options[option] = redirectedPath(path, scratch);
			redirected.add(id);
		}
		return [id, { ...instance, options }] as const;
	});
	return { backends: Object.fromEntries(replaced), redirected };
}

/** The path itself, or the nearest folder above it that is there. */
export function existingAncestor(path: string): string {
	let ancestor = path;
	while (!existsSync(ancestor) && dirname(ancestor) !== ancestor) ancestor = dirname(ancestor);
	return ancestor;
}

function hasContent(path: string): boolean {
	if (!existsSync(path)) return false;
	const info = statSync(path);
	// A folder that may not be listed is left as it is: the backend will say what is wrong with it.
	if (!info.isDirectory()) return info.size > 0;
	try {
		return readdirSync(path).length > 0;
	} catch {
		return true;
	}
}

function canCreate(path: string): boolean {
	const ancestor = existingAncestor(path);
	try {
		accessSync(ancestor, constants.W_OK);
		return ancestor === path || statSync(ancestor).isDirectory();
	} catch {
		return false;
	}
}

/** One path for each place: backends that share a file still do. */
function redirectedPath(path: string, scratch: string): string {
	const folder = dirname(path);
	return join(
		scratch,
		createHash('sha256').update(folder).digest('hex').slice(0, 16),
		basename(path),
	);
}

function pathsOf(
	backends: Backends,
): readonly { readonly option: string; readonly path: string }[] {
	return Object.values(backends).flatMap(({ options }) =>
		Object.entries((options ?? {}) as Record<string, unknown>).flatMap(([option, value]) =>
			pathOptions.includes(option) && typeof value === 'string' && isPath(value)
				? [{ option, path: resolve(value) }]
				: [],
		),
	);
}

/** Neither empty, nor an address, nor SQLite's `:memory:`. */
function isPath(text: string): boolean {
	return text !== '' && !text.includes('://') && !text.startsWith(':');
}

function isInside(path: string, folder: string): boolean {
	const relativePath = relative(folder, path);
	return relativePath !== '' && !relativePath.startsWith('..');
}
