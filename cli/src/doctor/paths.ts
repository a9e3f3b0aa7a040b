import { createHash } from 'node:crypto';
import { accessSync, constants, existsSync, readdirSync, statSync } from 'node:fs';
import { basename, dirname, join, relative, resolve } from 'node:path';
import type { BackendInstance } from '@plinth/core';

type Backends = Readonly<Record<string, BackendInstance>>;

/** Options of backends that are paths. */
const folderOptions = ['dir', 'directory', 'folder', 'root'];
const pathOptions = [...folderOptions, 'file', 'path'];

/** The data folders of the backends, absolute, without nested ones. */
export function foldersOf(backends: Backends): readonly string[] {
	const folders = pathsOf(backends).map(({ option, path }) => (folderOptions.includes(option) ? path : dirname(path)));
	const unique = [...new Set(folders)];
	return unique.filter((folder) => !unique.some((other) => isInside(folder, other)));
}

/**
 * Copies the backends and moves paths below `scratch`, so that a trial boot leaves no files. Moves a path when it is
 * empty or can be created. Keeps a path that cannot be created, so that the trial fails as the server would.
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

/** The path itself, or its nearest existing parent. */
export function existingAncestor(path: string): string {
	let ancestor = path;
	while (!existsSync(ancestor) && dirname(ancestor) !== ancestor) ancestor = dirname(ancestor);
	return ancestor;
}

function hasContent(path: string): boolean {
	if (!existsSync(path)) return false;
	const info = statSync(path);
	// An unreadable folder counts as content: the backend will report it.
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

/** Deterministic, so that backends that share a file still do. */
function redirectedPath(path: string, scratch: string): string {
	const folder = dirname(path);
	return join(scratch, createHash('sha256').update(folder).digest('hex').slice(0, 16), basename(path));
}

function pathsOf(backends: Backends): readonly { readonly option: string; readonly path: string }[] {
	return Object.values(backends).flatMap(({ options }) =>
		Object.entries((options ?? {}) as Record<string, unknown>).flatMap(([option, value]) =>
			pathOptions.includes(option) && typeof value === 'string' && isPath(value)
				? [{ option, path: resolve(value) }]
				: [],
		),
	);
}

/** Excludes empty values, addresses and SQLite's `:memory:`. */
function isPath(text: string): boolean {
	return text !== '' && !text.includes('://') && !text.startsWith(':');
}

function isInside(path: string, folder: string): boolean {
	const relativePath = relative(folder, path);
	return relativePath !== '' && !relativePath.startsWith('..');
}
