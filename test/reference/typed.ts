import { spawn } from 'node:child_process';
import { mkdir, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { root } from '../support/cli.ts';
import type { Snippet } from './snippets.ts';

/** What a snippet leaves to the text around it. */
export interface Surroundings {
	readonly page: string;
	/** In the snippet that is meant. */
	readonly has: string;
	/** Declarations of what it does not declare itself. */
	readonly with: string;
}

const compilerOptions = {
	target: 'es2024',
	lib: ['es2024', 'esnext.disposable', 'esnext.iterator'],
	module: 'nodenext',
	moduleDetection: 'force',
	strict: true,
	noEmit: true,
	skipLibCheck: true,
	// Only whether JavaScript can be read: tests run it.
	allowJs: true,
	allowImportingTsExtensions: true,
	types: ['node'],
	typeRoots: [join(root, 'node_modules/@types')],
	customConditions: ['@plinth/source'],
	// Readers install these under their own names.
	paths: {
		openai: ['./node_modules/openai'],
		'plinth-plain-picture': [join(root, 'test/packages/strangers/image/index.ts')],
		'plinth-sqlite-blobs': [join(root, 'test/packages/strangers/blobs/index.ts')],
		'plinth-embeddings': [join(root, 'test/packages/strangers/embeddings/index.ts')],
	},
};

/** Checks snippets as one program in an empty folder. Returns what is wrong: the page, the line of the block, the line in it, and the message. */
export async function faultsOf(
	folder: string,
	snippets: readonly Snippet[],
	surroundings: readonly Surroundings[] = [],
): Promise<readonly string[]> {
	await symlink(join(root, 'node_modules'), join(folder, 'node_modules'));
	await writeFile(join(folder, 'package.json'), '{"type":"module"}');
	const config = { compilerOptions, include: ['**/*.ts', '**/*.js'], exclude: ['node_modules'] };
	await writeFile(join(folder, 'tsconfig.json'), JSON.stringify(config));
	const places = new Map<string, string>();
	for (const [index, snippet] of snippets.entries()) {
		const file = fileOf(snippet, index);
		const around = surroundings.filter(({ page, has }) => page === snippet.page && snippet.text.includes(has));
		// Behind the snippet, so that lines keep their numbers: imports and declarations hold all over a module.
		const lines = [asModule(snippet.text), ...around.map((each) => each.with)];
		await mkdir(join(folder, file, '..'), { recursive: true });
		await writeFile(join(folder, file), lines.join('\n'));
		places.set(file, snippet.place);
	}
	const tsc = join(root, 'node_modules/typescript/bin/tsc');
	const child = spawn(process.execPath, [tsc, '-p', folder, '--pretty', 'false'], { cwd: folder });
	const told = await text(child.stdout);
	// The sources behind the snippets are checked elsewhere, with options of their own.
	return told.split('\n').flatMap((line) => {
		const [, file = '', rest] = /^([\w./-]+)(\(\d+,\d+\): .*)$/.exec(line) ?? [];
		// A mistake of the program as a whole has no file.
		if (line.startsWith('error ')) return [line];
		return places.has(file) ? [`${places.get(file)}${rest}`] : [];
	});
}

/** Snippets that say what they are called, `// app.ts`, can import one another. */
function fileOf({ page, language, text }: Snippet, index: number): string {
	const [, name] = /^\/\/ ([\w-]+\.(?:ts|js))\n/.exec(text) ?? [];
	return `${page.replaceAll('/', '-')}/${name ?? `${index}.${language}`}`;
}

/** A part of a config becomes a whole one. */
function asModule(text: string): string {
	const part = /^((?:backends|models|plugins): \{[\s\S]*\})\s*$/m;
	const whole = text.replace(part, 'export default defineConfig({ $1 });');
	return whole === text ? text : `${whole}\nimport { defineConfig } from '@plinth/core';`;
}
