import { Refusal } from '../../refusal.ts';
import type { Content, FormatReader, ReadContext } from '../format.ts';
import { brokenContent, refuseBeyond } from '../pages.ts';
import { type Block, pagesOf, textOf } from './docx/blocks.ts';
import { Numbering } from './docx/numbering.ts';
import type { Margin } from './docx/sections.ts';
import { Story, storyHandler } from './docx/story.ts';
import { isOn, stylesOf } from './docx/styles.ts';
import type { Surroundings } from './docx/surroundings.ts';
import { graphicsOf } from './drawing/graphics.ts';
import { OfficePackage, type Relation } from './package.ts';
import { metadataOf } from './properties.ts';
import { oneLine } from './rows.ts';

type Shared = Pick<Surroundings, 'styles' | 'numbering'>;

/**
 * Reads DOCX and its templates and variants with macros. Pages come from the breaks that the document asks for and those that a program noted when it
 * saved it; without any there are no pages. Headers stand before the first page's text, footers and comments behind the last one's, each once.
 */
export const readDocx: FormatReader = async (bytes, context) => {
	const office = await OfficePackage.open(bytes, context.budget);
	const main = await office.main('word/document.xml');
	const relations = await office.relations(main);
	const part = (kind: string) => relations.find((relation) => relation.kind === kind)?.target;
	const shared = {
		styles: await stylesOf(office, part('styles')),
		numbering: await Numbering.read(office, part('numbering')),
	};
	const notes = new Map([
		...(await notesOf(office, part('footnotes'), shared)),
		...(await notesOf(office, part('endnotes'), shared)),
	]);
	const inserted = await insertedBy(office, relations, context);
	const story = new Story({ ...shared, notes, inserted, graphics: await graphicsOf(office, main) });
	await office.read(main, storyHandler(story));
	const margins = story.sections.margins(await hasEvenPages(office, part('settings')));
	const blocks = [
		...(await marginBlocks(office, relations, margins, 'header', shared)),
		...story.blocks,
		...(await commentsOf(office, part('comments'), shared)),
		...(await marginBlocks(office, relations, margins, 'footer', shared)),
	];
	const mediaType = 'application/vnd.openxmlformats-officedocument.wordprocessingml.document';
	const pages = pagesOf(blocks);
	refuseBeyond(pages.length);
	return {
		mediaType,
		...brokenContent(pages.map(textOf), context.options),
		metadata: await metadataOf(office),
	};
};

/** The texts of documents within the document, which programs write that leave it to Word to convert them: HTML most of the time. */
async function insertedBy(
	office: OfficePackage,
	relations: readonly Relation[],
	{ depth, readInner }: ReadContext,
): Promise<Map<string, string>> {
	const texts = new Map<string, string>();
	// A document may hold itself.
	if (depth > 0) return texts;
	for (const { id, target } of relations.filter(({ kind }) => kind === 'aFChunk')) {
		const bytes = await office.bytes(target);
		if (!bytes) continue;
		const { text, pages = [] } = await readInner(bytes).catch(unlessTooLarge);
		texts.set(id, text ?? pages.map((page) => page.text).join('\n\n'));
	}
	return texts;
}

/** A part that is damaged, or of a format that nobody knows, is left out. */
function unlessTooLarge(error: unknown): Partial<Content> {
	if (error instanceof Refusal && error.code !== 'E_DOCUMENT_TOO_LARGE') return {};
	throw error;
}

/** Reads a part that the document can do without. */
async function partStory(office: OfficePackage, part: string, shared: Shared): Promise<Story> {
	const graphics = await graphicsOf(office, part);
	const story = new Story({ ...shared, notes: new Map(), inserted: new Map(), graphics });
	await office.readIfSound(part, storyHandler(story));
	return story;
}

async function notesOf(office: OfficePackage, part: string | undefined, shared: Shared) {
	const notes = new Map<string, string>();
	if (!part) return notes;
	const { parts } = await partStory(office, part, shared);
	// Those with a type are the lines that part notes from the text.
	for (const [id, { blocks, attributes }] of parts) {
		if ((attributes['w:type'] ?? 'normal') === 'normal') notes.set(id, textOf(blocks).trim());
	}
	return notes;
}

async function commentsOf(office: OfficePackage, part: string | undefined, shared: Shared): Promise<Block[]> {
	if (!part) return [];
	const { parts } = await partStory(office, part, shared);
	return [...parts.values()].flatMap(({ blocks, attributes }): Block[] => {
		const text = oneLine(textOf(blocks));
		const author = attributes['w:author'] ? ` by ${attributes['w:author']}` : '';
		return text === '' ? [] : [{ kind: 'text', text: `Comment${author}: ${text}` }];
	});
}

/** The texts of headers or of footers, equal ones once. */
async function marginBlocks(
	office: OfficePackage,
	relations: readonly Relation[],
	margins: readonly Margin[],
	kind: Margin['kind'],
	shared: Shared,
): Promise<Block[]> {
	const ids = new Set(margins.filter((margin) => margin.kind === kind).map(({ id }) => id));
	const targets = new Set(relations.filter(({ id }) => ids.has(id)).map(({ target }) => target));
	const texts = new Set<string>();
	for (const target of targets) {
		const { blocks } = await partStory(office, target, shared);
		texts.add(textOf(blocks.filter(({ kind }) => kind !== 'break')).trim());
	}
	return [...texts].filter((text) => text !== '').map((text) => ({ kind: 'text', text }));
}

async function hasEvenPages(office: OfficePackage, part: string | undefined): Promise<boolean> {
	let isFound = false;
	if (!part) return isFound;
	await office.readIfSound(part, {
		open(name, { 'w:val': value }) {
			if (name === 'w:evenAndOddHeaders') isFound = isOn(value);
		},
	});
	return isFound;
}
