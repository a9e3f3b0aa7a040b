import { existsSync, globSync, readFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';

/** A file in which doc comments are looked for, and the text behind which they stand there. */
export interface Place {
	readonly file: string;
	/** The beginning of the file unless set. */
	readonly behind?: string;
}

/**
 * The doc comment of a member, as one line of Markdown, from the first of the places that has one; undefined if none has. Of `ocr.languages` it is one
 * behind that of `ocr`, if there is one. It may also stand above the constant or the function that the member's value comes from.
 */
export function meaningIn(places: readonly Place[], name: string): string | undefined {
	const path = name.split('.');
	const own = path.at(-1) ?? name;
	const found =
		(path.length > 1 ? firstOf(places, path) : undefined) ?? firstOf(places, [own]) ?? standInOf(places, own);
	return found && asMarkdown(found);
}

/** The comment of the last of the names that follows comments of all those before it. */
function firstOf(places: readonly Place[], path: readonly string[]): string | undefined {
	for (const { file, behind = '' } of places) {
		const text = readFileSync(file, 'utf8');
		const begin = text.indexOf(behind);
		if (begin < 0) throw new Error(`${file} does not have "${behind}".`);
		const names = [...path];
		for (const [, comment, member] of text.slice(begin).matchAll(commented)) {
			if (member !== names[0]) continue;
			names.shift();
			if (names.length === 0) return comment;
		}
	}
	return undefined;
}

function standInOf(places: readonly Place[], name: string): string | undefined {
	const source = new RegExp(`\\b${name}: (\\w+)(?:[,(]| })`);
	for (const { file } of places) {
		const [, standIn] = source.exec(readFileSync(file, 'utf8')) ?? [];
		if (standIn) return firstOf(places, [standIn]);
	}
	return undefined;
}

/** The file below `folder` that declares a factory or a plugin, and the files that it imports from there, nearest first. */
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

// A comment, lines that explain more, then `name:`, `name?:`, `name,`, `const name =` or `function name(`.
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
