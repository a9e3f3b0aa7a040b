import { existsSync, globSync, readFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';

/** A file that is searched for doc comments, and the text after which the search starts. */
export interface Place {
	readonly file: string;
	/** The start of the file by default. */
	readonly after?: string;
}

/**
 * The doc comment of a member as one line of Markdown, from the first source that has one; undefined if none has. The
 * comment of `ocr.languages` is searched after that of `ocr`. It may also be above the constant or function that
 * provides the value.
 */
export function meaningIn(places: readonly Place[], name: string): string | undefined {
	const path = name.split('.');
	const own = path.at(-1) ?? name;
	const comment =
		(path.length > 1 ? firstOf(places, path) : undefined) ?? firstOf(places, [own]) ?? sourceOf(places, own);
	return comment && asMarkdown(comment);
}

/** The comment of the last name, after those of all names before it. */
function firstOf(places: readonly Place[], path: readonly string[]): string | undefined {
	for (const { file, after = '' } of places) {
		const text = readFileSync(file, 'utf8');
		const begin = text.indexOf(after);
		if (begin < 0) throw new Error(`${file} does not have "${after}".`);
		const names = [...path];
		for (const [, comment, member] of text.slice(begin).matchAll(commented)) {
			if (member !== names[0]) continue;
			names.shift();
			if (names.length === 0) return comment;
		}
	}
	return undefined;
}

function sourceOf(places: readonly Place[], name: string): string | undefined {
	const source = new RegExp(`\\b${name}: (\\w+)(?:[,(]| })`);
	for (const { file } of places) {
		const [, constant] = source.exec(readFileSync(file, 'utf8')) ?? [];
		if (constant) return firstOf(places, [constant]);
	}
	return undefined;
}

/** The file below `folder` that declares a factory or a plugin, and its relative imports, nearest first. */
export function placesOf(folder: string, name: string): readonly Place[] {
	const declares = new RegExp(`^\\t+(?:name|id): '${name.replace('.', '\\.')}',$`, 'm');
	const first = globSync('src/**/*.ts', { cwd: folder })
		.map((file) => join(folder, file))
		.filter((file) => declares.test(readFileSync(file, 'utf8')));
	if (first.length !== 1) throw new Error(`${folder} declares ${name} in ${first.length} files.`);
	const files = new Set(first);
	for (const file of files) for (const imported of importsOf(file)) files.add(imported);
	return [...files].map((file) => ({ file }));
}

// A comment, optional lines of explanation, then `name:`, `name?:`, `name,`, `const name =` or `function name(`.
const commented =
	/\/\*\*((?:(?!\*\/)[\s\S])*)\*\/\s*(?:\/\/[^\n]*\s*)*(?:export )?(?:const |function |readonly )?(\w+)\??\s*[:,=(]/g;

const toolkit = resolve(import.meta.dirname, '../../core/toolkit/src');

function importsOf(file: string): readonly string[] {
	const text = readFileSync(file, 'utf8');
	const imports = text.matchAll(/ from '(\.[^']+\.ts)'/g);
	// The options that adapters share.
	const shared = /\bvideoAbilityOptions\b/.test(text) ? [join(toolkit, 'requests/video-options.ts')] : [];
	return [...shared, ...[...imports].map(([, path = '']) => resolve(dirname(file), path))].filter(existsSync);
}

function asMarkdown(comment: string): string {
	return comment
		.split('\n')
		.map((line) => line.trim().replace(/^\*\s?/, ''))
		.filter(Boolean)
		.join(' ')
		.trim()
		.replace(/\{@link (\w+)\}/g, '`$1`')
		.replaceAll('|', '\\|');
}
