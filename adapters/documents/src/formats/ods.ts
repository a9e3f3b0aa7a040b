import type { DocumentMetadata } from '@plinth/toolkit';
import { DomUtils, parseDocument } from 'htmlparser2';
import { documentError } from '../refusal.ts';
import { checkArchive, openArchive } from '../zip/archive.ts';
import { Budget, tooLarge } from './budget.ts';
import { decodeText } from './charset.ts';
import { metadataOf } from './format.ts';

/**
 * The XML of an OpenDocument spreadsheet, from a zip file or a flat XML file. It is changed so that the library keeps
 * values without a text. Too many repeated cells are refused, because the library repeats them without a limit.
 */
export async function openDocumentOf(bytes: Uint8Array, budget: Budget) {
	if (bytes[0] !== 0x50) {
		const content = decodeText(bytes).text;
		return { content: repaired(content), metadata: metadataIn(content.slice(0, 65_536)) };
	}
	await checkArchive(bytes, budget);
	// `checkArchive` has counted the inflated bytes already.
	const archive = await openArchive(bytes, new Budget());
	const text = async (name: string) => decodeText((await archive.read(name)) ?? new Uint8Array()).text;
	const content = (await text('content.xml')).replaceAll('office:document-content', 'office:document');
	return { content: repaired(content), metadata: metadataIn(await text('meta.xml')) };
}

/** A cell with a value and without a text. */
const valueWithoutText = /<((?:[\w-]+:)?table-cell)\b([^<>]*[\s:](?:date-|time-|boolean-)?value\s*=[^<>]*)\/>/g;
/** The start of a row or a cell, and whether it is an empty cell. */
const start = /<(?:[\w-]+:)?table-(?:row|cell)\b([^<>]*)>(<\/)?/g;
const maxCells = 1_000_000;

function repaired(xml: string): Buffer {
	// The library would treat it as another format.
	if (!xml.includes('office:spreadsheet')) throw documentError('E_DOCUMENT_UNREADABLE');
	const content = xml.replace(valueWithoutText, '<$1$2></$1>');
	let rows = 1;
	let cells = 0;
	for (const [tag, attributes = '', end] of content.matchAll(start)) {
		const isEmpty = attributes.endsWith('/') || (end !== undefined && !/value\s*=/.test(attributes));
		if (tag.includes('table-row')) rows = repeats(attributes, 'rows');
		else if (!isEmpty) cells += rows * repeats(attributes, 'columns');
		if (cells > maxCells) throw tooLarge(`The sheets have more than ${maxCells} cells.`);
	}
	return Buffer.from(content);
}

function repeats(attributes: string, what: 'rows' | 'columns'): number {
	if (!attributes.includes('-repeated')) return 1;
	const counts = attributes.matchAll(new RegExp(`number-${what}-repeated\\s*=\\s*["']?([^"'\\s]*)`, 'g'));
	return Math.max(1, ...Array.from(counts, ([, count]) => Number(count) || 1));
}

function metadataIn(xml: string): DocumentMetadata {
	const document = parseDocument(xml, { xmlMode: true });
	const textOf = (name: string) => {
		const [element] = DomUtils.getElementsByTagName(name, document, true, 1);
		return element && DomUtils.textContent(element);
	};
	const author = textOf('meta:initial-creator') ?? textOf('dc:creator');
	return metadataOf(textOf('dc:title'), author, textOf('meta:creation-date'));
}
