import { openCompoundFile, type Storage } from '../../ole/compound-file.ts';
import { summaryOf } from '../../ole/summary.ts';
import { documentError, Refusal } from '../../refusal.ts';
import { decodeAs } from '../charset.ts';
import type { FormatReader } from '../format.ts';
import { brokenContent } from '../pages.ts';
import { type TextRun, textRuns } from './characters.ts';
import { entries, type Part, type WordHeader, wordHeader } from './header.ts';
import { type Lists, listsOf } from './lists.ts';
import { operations, operationsOf, stretchesOf } from './properties.ts';
import { type Meaning, storyPages } from './story.ts';

/**
 * Reads documents of Word 97 to 2003, and the text of older ones: paragraphs, tables as rows, fields by their result, notes and comments at
 * the end of their page, text boxes at the end, headers and footers once. Deleted and hidden text is left out. Pages where the document
 * breaks them itself.
 */
export const readDoc: FormatReader = async (bytes, { options }) => {
	const storage = openCompoundFile(bytes);
	const pages = wordPages(storage);
	const metadata = summaryOf(storage);
	return { mediaType: 'application/msword', ...brokenContent(pages, options), metadata };
};

function wordPages(storage: Storage): string[] {
	try {
		const stream = storage.read('WordDocument') ?? Buffer.alloc(0);
		const header = wordHeader(stream);
		return header.isAncient ? ancientPages(stream, header) : pagesOf(storage, stream, header);
	} catch (error) {
		if (error instanceof Refusal) throw error;
		throw documentError('E_DOCUMENT_UNREADABLE', {
			message: 'The Word document is damaged.',
			cause: error,
		});
	}
}

const noLists: Lists = { next: () => undefined };
const plainMeaning: Meaning = {
	paragraphs: [],
	softBreaks: new Set(),
	notes: new Map(),
	comments: new Map(),
	lists: noLists,
};

/** Before Word 97 the text lies in one stretch; what its paragraphs are like is not read. */
function ancientPages(stream: Buffer, { start, lengths }: WordHeader): string[] {
	const text = decodeAs(stream.subarray(start, start + (lengths[0]?.length ?? 0)), 'windows-1252') ?? '';
	const run: TextRun = { position: 0, text, place: 0, width: 1, isHidden: false };
	return storyPages([run], 0, text.length, plainMeaning);
}

function pagesOf(storage: Storage, stream: Buffer, header: WordHeader): string[] {
	const table = storage.read(header.table) ?? Buffer.alloc(0);
	const runs = textRuns(stream, table, header);
	const parts = partsOf(header);
	const paragraphs = stretchesOf(stream, header.entry(table, entries.paragraphs), 'paragraphs');
	const lists = listsOf(header.from(table, entries.lists), header.entry(table, entries.listOverrides));
	const flat = { ...plainMeaning, paragraphs, lists };
	const story = (from: number, to: number, meaning: Meaning = flat) => storyPages(runs, from, to, meaning);
	const textOf = (from: number, to: number) => story(from, to).join('\n').trim();
	const between = (part: Part, index: number): string[] => {
		const { from, to } = parts[part];
		const texts: string[] = [];
		// Each text begins where the last one ended, whatever the file says: no character is read twice.
		let start = from;
		for (const mark of positionsOf(header.entry(table, index)).slice(1)) {
			const end = Math.max(start, Math.min(to, from + mark));
			texts.push(end > start ? textOf(start, end) : '');
			start = end;
		}
		return texts;
	};
	const notes = new Map([
		...byPosition(
			header.entry(table, entries.footnoteReferences),
			noteBytes,
			between('footnotes', entries.footnoteTexts),
		),
		...byPosition(header.entry(table, entries.endnoteReferences), noteBytes, between('endnotes', entries.endnoteTexts)),
	]);
	const comments = byPosition(
		header.entry(table, entries.commentReferences),
		commentBytes,
		between('comments', entries.commentTexts),
	);
	const sections = sectionsOf(stream, header.entry(table, entries.sections));
	const continuous = sections.filter(({ isContinuous }) => isContinuous);
	const softBreaks = new Set(continuous.map(({ start }) => start - 1));
	const pages = story(parts.body.from, parts.body.to, { ...flat, softBreaks, notes, comments });
	const hasEven = ((header.entry(table, entries.document)[0] ?? 0) & 1) === 1;
	const edges = edgesOf(between('headers', entries.headers), sections, hasEven);
	const boxes = textOf(parts.boxes.from, parts.boxes.to);
	pages[0] = [...edges.headers, pages[0]].join('\n');
	pages.push([pages.pop(), boxes, ...edges.footers].filter(Boolean).join('\n'));
	return pages;
}

function partsOf({ lengths }: WordHeader): Record<Part, { from: number; to: number }> {
	let from = 0;
	const parts = lengths.map(({ part, length }) => {
		const range = { from, to: from + length };
		from += length;
		return [part, range] as const;
	});
	return Object.fromEntries(parts) as Record<Part, { from: number; to: number }>;
}

/** What is said of each mark of a note beside its position, in bytes. */
const noteBytes = 2;
const commentBytes = 30;

/** Texts by the positions of their marks. */
function byPosition(marks: Buffer, size: number, texts: readonly string[]): Map<number, string> {
	const count = Math.max(0, Math.floor((marks.length - 4) / (4 + size)));
	const entry = (at: number) => [marks.readUInt32LE(at * 4), texts[at] ?? ''] as const;
	return new Map(Array.from({ length: count }, (_, at) => entry(at)));
}

function positionsOf(list: Buffer): number[] {
	return Array.from({ length: Math.floor(list.length / 4) }, (_, at) => list.readUInt32LE(at * 4));
}

/**
 * Six separators of notes, then six texts for each section: headers of even and odd pages, footers of both, header and footer of the first
 * page. Those of even and of first pages count only where the document has such pages.
 */
function edgesOf(
	texts: readonly string[],
	sections: readonly Section[],
	hasEven: boolean,
): { headers: Set<string>; footers: Set<string> } {
	const edges = { headers: new Set<string>(), footers: new Set<string>() };
	for (const [at, text] of texts.slice(6).entries()) {
		const kind = at % 6;
		const isEven = kind === 0 || kind === 2;
		const hasFirst = sections[Math.floor(at / 6)]?.hasTitlePage === true;
		if (!text || (isEven && !hasEven) || (kind > 3 && !hasFirst)) continue;
		edges[kind === 2 || kind === 3 || kind === 5 ? 'footers' : 'headers'].add(text);
	}
	return edges;
}

interface Section {
	/** The position of its first character. */
	readonly start: number;
	/** It goes on on the page of the section before. */
	readonly isContinuous: boolean;
	readonly hasTitlePage: boolean;
}

function sectionsOf(stream: Buffer, list: Buffer): Section[] {
	const count = Math.max(0, Math.floor((list.length - 4) / 16));
	return Array.from({ length: count }, (_, at) => {
		const place = list.readUInt32LE((count + 1) * 4 + at * 12 + 2);
		const length = place + 2 <= stream.length ? stream.readUInt16LE(place) : 0;
		const changes = operationsOf(stream.subarray(place + 2, place + 2 + length));
		return {
			start: list.readUInt32LE(at * 4),
			isContinuous: changes.get(operations.sectionBreak) === 0,
			hasTitlePage: changes.get(operations.titlePage) === 1,
		};
	});
}
