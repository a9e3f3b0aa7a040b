import { posix } from 'node:path';
import type { DocumentMetadata } from '@plinth/toolkit';
import { readXml } from '../../markup/xml.ts';
import { documentError } from '../../refusal.ts';
import type { Archive } from '../../zip/archive.ts';
import { decoded } from './names.ts';

/** What a book is made of. */
export interface Book {
	/** The names of its chapters' files in reading order, each once; undefined where the book names one that it does not list. */
	readonly chapters: readonly (string | undefined)[];
	readonly metadata: DocumentMetadata;
}

/** Reads the package file of an EPUB 2 or 3. Throws `E_DOCUMENT_UNREADABLE` when there is none. */
export async function readBook(archive: Archive): Promise<Book> {
	const name = await packageName(archive);
	const bytes = name === undefined ? undefined : await archive.read(name);
	if (name === undefined || !bytes) {
		throw documentError('E_DOCUMENT_UNREADABLE', {
			message: 'The book lacks the file that lists its chapters.',
		});
	}
	return bookOf(bytes, posix.dirname(name));
}

/** Which the container tells; where it does not, the only file of that kind. */
async function packageName(archive: Archive): Promise<string | undefined> {
	const container = await archive.read('META-INF/container.xml');
	let found: string | undefined;
	if (container) {
		const open = (name: string, attributes: Readonly<Record<string, string>>) => {
			if (/(?:^|:)rootfile$/.test(name)) found ??= attributes['full-path'];
		};
		readXml(container, { open }, { doctype: 'ignored' });
	}
	if (found !== undefined && archive.has(found)) return found;
	return archive.entries.find((entry) => /\.opf$/i.test(entry.name))?.name;
}

function bookOf(bytes: Buffer, folder: string): Book {
	const files = new Map<string, string>();
	const spine: string[] = [];
	const facts = new Map<string, string[]>();
	let inside: string | undefined;
	readXml(
		bytes,
		{
			open(name, { id, href, idref }) {
				if (name === 'opf:item' && id && href) files.set(id, targetOf(folder, href));
				else if (name === 'opf:itemref' && idref) spine.push(idref);
				inside = name.startsWith('dc:') ? name : undefined;
				if (inside !== undefined) valuesOf(facts, inside).push('');
			},
			text(text) {
				const values = inside === undefined ? undefined : facts.get(inside);
				if (values) values.push((values.pop() ?? '') + text);
			},
			close() {
				inside = undefined;
			},
		},
		{ doctype: 'ignored' },
	);
	return { chapters: inOrder(spine, files), metadata: metadataOf(facts) };
}

/** Each file once: a spine that leads back to a chapter would give it again and again. */
function inOrder(spine: readonly string[], files: ReadonlyMap<string, string>): Book['chapters'] {
	const seen = new Set<string>();
	return [...new Set(spine)].flatMap((id) => {
		const file = files.get(id);
		if (file !== undefined && seen.has(file)) return [];
		if (file !== undefined) seen.add(file);
		return [file];
	});
}

function valuesOf(facts: Map<string, string[]>, name: string): string[] {
	const known = facts.get(name) ?? [];
	facts.set(name, known);
	return known;
}

/** The name in the archive of what a link leads to. */
function targetOf(folder: string, href: string): string {
	const path = href.replace(/[?#].*$/s, '');
	return posix.join(folder, decoded(path)).replace(/^(?:\.\.?\/)+|^\/+/, '');
}

function metadataOf(facts: ReadonlyMap<string, readonly string[]>): DocumentMetadata {
	const [titles = [], authors = [], dates = []] = ['dc:title', 'dc:creator', 'dc:date'].map((name) =>
		(facts.get(name) ?? []).map((value) => value.replace(/\s+/g, ' ').trim()).filter(Boolean),
	);
	const created = new Date(/^\d{4}/.test(dates[0] ?? '') ? (dates[0] ?? '') : Number.NaN);
	return {
		...(titles[0] !== undefined && { title: titles[0] }),
		...(authors.length > 0 && { author: authors.join(', ') }),
		...(!Number.isNaN(created.getTime()) && { created: created.toISOString() }),
	};
}
