import { zipSync } from 'fflate';
import type { OfficeError, OfficeParserAST, SupportedFileType } from 'officeparser';
import { documentError } from '../../refusal.ts';
import { checkArchive, openArchive } from '../../zip/archive.ts';
import { Budget } from '../budget.ts';
import { metadataOf, type ReadContext } from '../format.ts';

/** The parts of a document that hold text, by their names. */
export type Parts = Record<string, Buffer>;

/** Names of parts that hold text, unlike pictures, fonts and programs. */
const textual = /(?:^mimetype|\.(?:xml|rels|x?html?|xht|opf|mht|rtf|txt|docx))$/i;

/** The parts of an archive that hold text. Rejects as reading an archive does. */
export async function readParts(bytes: Uint8Array, { budget }: ReadContext): Promise<Parts> {
	await checkArchive(bytes, budget);
	// A new budget, because `checkArchive` has counted the parts already.
	const archive = await openArchive(bytes, new Budget());
	const parts: Parts = {};
	for (const { name } of archive.entries) {
		if (textual.test(name)) parts[name] = (await archive.read(name)) ?? Buffer.alloc(0);
	}
	return parts;
}

export const zipped = (parts: Parts) => Buffer.from(zipSync(parts, { level: 0 }));

/** The parts of an office file as the library can read them. Throws `E_DOCUMENT_UNREADABLE` for a DOCTYPE. */
export async function officeParts(bytes: Uint8Array, context: ReadContext): Promise<Parts> {
	const file = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
	// OpenDocument may be one XML file in place of several.
	const isFlat = file[0] !== 0x50;
	const parts = isFlat ? { 'content.xml': file, 'styles.xml': file, 'meta.xml': file } : await readParts(file, context);
	for (const [name, content] of Object.entries(parts)) {
		if (/\.(?:xml|rels)$/i.test(name) && content.includes('<!DOCTYPE')) {
			throw documentError('E_DOCUMENT_UNREADABLE', { message: 'A part of the document has a DOCTYPE.' });
		}
		if (/^(?:content|styles|meta)\.xml$/.test(name)) parts[name as 'meta.xml'] = Buffer.from(adapt(content.toString()));
	}
	return parts;
}

/** Adapts OpenDocument to the library: it gets the first author, and no level of a bulleted list is numbered. */
function adapt(xml: string): string {
	const flat = xml.replaceAll('meta:initial-creator', 'dc:creator').replace(/[\r\n]+[ \t]*/g, ' ');
	const bullets = /<text:list-style [^>]*>\s*<text:list-level-style-bullet[\s\S]{0,20000}?<\/text:list-style>/g;
	return flat.replace(bullets, (list) => list.replaceAll('-number', '-bullet'));
}

/** The tree of a document. The library trusts declared sizes, so it gets a repacked archive. */
export async function parseOffice(bytes: Buffer, fileType: SupportedFileType): Promise<OfficeParserAST> {
	const { OfficeParser } = await import('officeparser');
	try {
		return await OfficeParser.parseOffice(bytes, {
			fileType,
			extractAttachments: true,
			ignoreSlideMasters: true,
			includeBreakNodes: true,
			// Otherwise errors are printed.
			onWarning() {},
			// A larger tree does not fit into the process's memory.
			decompressionLimits: { maxXmlElements: 400_000, maxTableCells: 500_000 },
		});
	} catch (cause) {
		const code = (cause as OfficeError).officeIssue?.code ?? '';
		if (/^PASSWORD|DECRYPTION/.test(code)) throw documentError('E_DOCUMENT_ENCRYPTED', { cause });
		throw documentError(/LIMIT|TOO_LARGE/.test(code) ? 'E_DOCUMENT_TOO_LARGE' : 'E_DOCUMENT_UNREADABLE', { cause });
	}
}

export const metadataIn = ({ metadata: { title, author, created } }: OfficeParserAST) =>
	metadataOf(title, author, created);
