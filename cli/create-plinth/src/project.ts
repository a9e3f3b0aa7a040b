import { existsSync, statSync } from 'node:fs';
import { glob, mkdir, readFile, writeFile } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';
import { CreateError } from './create-error.ts';
import { manifestOf, tsconfigsOf } from './manifest.ts';
import type { TemplateName } from './templates.ts';

/** The folder and the template of a project. */
export interface ProjectOptions {
	/** The folder of the project; it may exist. Its name becomes the name of the package. */
	readonly folder: string;
	readonly template: TemplateName;
}

/**
 * Writes a project, and resolves to the names of its files. Rejects with a `CreateError` and writes nothing when one of
 * the files already exists.
 */
export async function createProject({ folder, template }: ProjectOptions): Promise<readonly string[]> {
	const root = resolve(folder);
	if (existsSync(root) && !statSync(root).isDirectory()) {
		throw new CreateError(`${folder} is a file. Name another folder.`);
	}
	const files = await filesOf(packageName(root, template), template);
	const names = Object.keys(files).sort();
	const existing = names.filter((name) => existsSync(join(root, name)));
	if (existing.length > 0) {
		throw new CreateError(`${folder} already has ${existing.join(', ')}. Name another folder, or move these files.`);
	}
	for (const name of names) {
		const path = join(root, name);
		await mkdir(dirname(path), { recursive: true });
		await writeFile(path, files[name] ?? '', { flag: 'wx' });
	}
	return names;
}

/** The texts of all files of a project, by name. */
async function filesOf(name: string, template: TemplateName): Promise<Readonly<Record<string, string>>> {
	const source = join(import.meta.dirname, '../templates', template);
	const files: Record<string, string> = {
		// npm does not pack a file with this name, so the template cannot contain it.
		'.gitignore': 'node_modules/\ndist/\n.plinth/\n',
		'package.json': json(manifestOf(name, template)),
	};
	for (const [file, value] of Object.entries(tsconfigsOf(template))) files[file] = json(value);
	for await (const entry of glob('**/*', { cwd: source, withFileTypes: true })) {
		if (!entry.isFile()) continue;
		const path = join(entry.parentPath, entry.name);
		const text = await readFile(path, 'utf8');
		files[path.slice(source.length + 1).replaceAll('\\', '/')] = text.replaceAll('{{name}}', name);
	}
	return files;
}

/** A package name, made from that of the folder. npm refuses a package that depends on its own name. */
function packageName(root: string, template: TemplateName): string {
	const name = basename(root)
		.toLowerCase()
		.replace(/[^a-z0-9._-]+/g, '-')
		.replace(/^[._-]+|-+$/g, '');
	const needed: Record<string, object> = { ...manifestOf(name, template) };
	const names = ['dependencies', 'peerDependencies', 'devDependencies'].flatMap((key) =>
		Object.keys(needed[key] ?? {}),
	);
	return name === '' || names.includes(name) ? `my-${name || template}` : name;
}

function json(value: object): string {
	return `${JSON.stringify(value, null, '\t')}\n`;
}
