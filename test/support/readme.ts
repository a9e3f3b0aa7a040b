import { mkdir, readFile, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { root } from './cli.ts';

/** The fenced code blocks of a Markdown file that match the pattern. */
export async function fencedCode(file: string, pattern: RegExp): Promise<string[]> {
	const text = await readFile(file, 'utf8');
	return [...text.matchAll(/^```\w*[^\n]*\n([\s\S]*?)^```$/gm)]
		.map(([, code = '']) => code)
		.filter((code) => pattern.test(code));
}

/**
 * Makes a project folder as a reader would have it, with the packages of this repository installed, and writes a file
 * into it. Returns the path of the file.
 */
export async function writeProject(dir: string, name: string, text: string): Promise<string> {
	const modules = join(dir, 'node_modules');
	const installed = join(root, 'node_modules');
	await mkdir(modules, { recursive: true });
	await symlink(join(installed, '@plinth'), join(modules, '@plinth'));
	await symlink(join(installed, 'plinth'), join(modules, 'plinth'));
	await symlink(join(installed, 'openai'), join(modules, 'openai'));
	await symlink(join(installed, '@ai-sdk'), join(modules, '@ai-sdk'));
	await symlink(join(installed, 'ai'), join(modules, 'ai'));
	await writeFile(join(dir, 'package.json'), '{"type":"module"}');
	await writeFile(join(dir, name), text);
	return join(dir, name);
}
