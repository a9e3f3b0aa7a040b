import { spawn } from 'node:child_process';
import { mkdir, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { root } from '../support/cli.ts';
import type { Snippet } from './snippets.ts';

/** Declarations that a snippet takes from the text around it. */
export interface Surroundings {
	readonly page: string;
	/** A text that the snippet contains. */
	readonly has: string;
	/** Declarations for names that the snippet does not declare. */
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
	// JavaScript is only parsed: other tests run it.
	allowJs: true,
	allowImportingTsExtensions: true,
	types: ['node'],
	typeRoots: [join(root, 'node_modules/@types')],
	customConditions: ['@plinth/source'],
	// Packages of examples, under the names that readers install.
	paths: {
		openai: ['./node_modules/openai'],
		'plinth-plain-picture': [join(root, 'test/packages/third-party/image/index.ts')],
		'plinth-sqlite-blobs': [join(root, 'test/packages/third-party/blobs/index.ts')],
		'plinth-embeddings': [join(root, 'test/packages/third-party/embeddings/index.ts')],
	},
};

/**
 * Compiles snippets as one program in an empty folder. Returns the errors: the page, the line of the block, the line
 * within it, and the message.
 */
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
		// Appended to the snippet, so that lines keep their numbers. Imports and declarations apply in the whole module.
		const lines = [asModule(snippet.text), ...around.map((each) => each.with)];
		await mkdir(join(folder, file, '..'), { recursive: true });
		await writeFile(join(folder, file), lines.join('\n'));
		places.set(file, snippet.place);
	}
	const tsc = join(root, 'node_modules/typescript/bin/tsc');
	const child = spawn(process.execPath, [tsc, '-p', folder, '--pretty', 'false'], { cwd: folder });
	const told = await text(child.stdout);
	// Other programs check these sources, with their own options.
	return told.split('\n').flatMap((line) => {
		const [, file = '', rest] = /^([\w./-]+)(\(\d+,\d+\): .*)$/.exec(line) ?? [];
		// An error of the program as a whole has no file.
		if (line.startsWith('error ')) return [line];
		return places.has(file) ? [`${places.get(file)}${rest}`] : [];
	});
}

/** Snippets with a file name, `// app.ts`, can import one another. */
function fileOf({ page, language, text }: Snippet, index: number): string {
	const [, name] = /^\/\/ ([\w-]+\.(?:ts|js))\n/.exec(text) ?? [];
	return `${page.replaceAll('/', '-')}/${name ?? `${index}.${language}`}`;
}

/** Completes a part of a config. */
function asModule(text: string): string {
	const part = /^((?:backends|models|plugins): \{[\s\S]*\})\s*$/m;
	const whole = text.replace(part, 'export default defineConfig({ $1 });');
	return whole === text ? text : `${whole}\nimport { defineConfig } from '@plinth/core';`;
}
