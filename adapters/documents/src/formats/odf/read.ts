import type { DocumentMetadata } from '@plinth/toolkit';
import { readXml } from '../../markup/xml.ts';
import { Refusal } from '../../refusal.ts';
import { Room } from '../flow/flow.ts';
import type { Content, FormatReader, ReadContext } from '../format.ts';
import { pagesContent } from '../pages.ts';
import { Body, type Facts, type Opening } from './body.ts';
import { facts } from './facts.ts';
import { formulas } from './formulas.ts';
import { frames } from './frames.ts';
import { openParts } from './package.ts';
import { paragraphs } from './paragraphs.ts';
import { sheets } from './sheets.ts';
import { slides } from './slides.ts';
import { tables } from './tables.ts';

type Openings = ReadonlyMap<string, Opening>;

const common = [...facts, ...formulas, ...paragraphs];
const ofText: Openings = new Map([...common, ...frames, ...tables]);
const ofSlides: Openings = new Map([...common, ...tables, ...slides]);
const ofSheets: Openings = new Map([...common, ...frames, ...sheets]);
/** The data of a sheet's chart stand in the sheet. */
const ofSheetObjects: Openings = new Map([...ofText, ['table:table', (body: Body) => body.hide()] as const]);

/** Reads a text: pages where it says that one ends, else whole. */
export const readOdt: FormatReader = async (bytes, context) => {
	const body = await read(bytes, context, ofText, ofText);
	const metadata = metadataOf(body.facts);
	const mediaType = 'application/vnd.oasis.opendocument.text';
	const pages = pagesOf(body);
	if (body.hasBreaks) return paged(mediaType, pages, metadata, context);
	return { mediaType, text: pages.join('\n'), metadata };
};

/** Reads a presentation: each slide is a page. */
export const readOdp: FormatReader = async (bytes, context) => {
	const body = await read(bytes, context, ofSlides, ofText);
	const pages = body.pages.map((lines) => lines.join('\n'));
	const mediaType = 'application/vnd.oasis.opendocument.presentation';
	return paged(mediaType, pages, metadataOf(body.facts), context);
};

/** Reads a spreadsheet: each sheet is a page. */
export const readOds: FormatReader = async (bytes, context) => {
	const body = await read(bytes, context, ofSheets, ofSheetObjects);
	const pages = body.pages.map((lines) => lines.join('\n'));
	const mediaType = 'application/vnd.oasis.opendocument.spreadsheet';
	return paged(mediaType, pages, metadataOf(body.facts), context);
};

async function read(
	bytes: Uint8Array,
	{ budget }: ReadContext,
	openings: Openings,
	ofObjects: Openings,
): Promise<Body> {
	const parts = await openParts(bytes, budget);
	const room = new Room();
	const objects = new Map<string, readonly string[]>();
	for (const [name, content] of parts.objects) objects.set(name, linesOf(content, ofObjects, room));
	const body = new Body(openings, objects, room);
	for (const part of parts.others) ifSound(() => readXml(part, body), body);
	readXml(parts.content, body);
	return body;
}

/** The lines of a chart or formula. A damaged one is left out. */
function linesOf(content: Buffer, openings: Openings, room: Room): readonly string[] {
	const body = new Body(openings, new Map(), room);
	body.gap = 0;
	return ifSound(() => readXml(content, body), body) ? body.flow.finish() : [];
}

/** Reads a part that the document can do without. Answers whether it is sound. */
function ifSound(reading: () => void, body: Body): boolean {
	try {
		reading();
		return true;
	} catch (error) {
		if (!(error instanceof Refusal && error.code === 'E_DOCUMENT_UNREADABLE')) throw error;
		body.unwind();
		return false;
	}
}

/** The pages of a text. What stands on each of them is given once: headers on the first, footers on the last. */
function pagesOf(body: Body): string[] {
	for (const line of body.endnotes) body.notes.push(line);
	body.endPage();
	const header = body.masters.lines('header');
	const footer = body.masters.lines('footer');
	const last = body.pages.length - 1;
	return body.pages.map((lines, index) => {
		const parts = [index === 0 ? header : [], lines, index === last ? footer : []];
		return parts
			.filter((part) => part.length > 0)
			.map((part) => part.join('\n'))
			.join('\n\n');
	});
}

function paged(
	mediaType: string,
	texts: readonly string[],
	metadata: DocumentMetadata,
	{ options, progress }: ReadContext,
): Content {
	progress(texts.length, texts.length);
	return { mediaType, ...pagesContent(texts, options), metadata };
}

function metadataOf({ title, author, editor, created }: Facts): DocumentMetadata {
	const name = author ?? editor;
	const time = new Date(created ?? Number.NaN);
	return {
		...(title !== undefined && { title }),
		...(name !== undefined && { author: name }),
		...(!Number.isNaN(time.getTime()) && { created: time.toISOString() }),
	};
}
