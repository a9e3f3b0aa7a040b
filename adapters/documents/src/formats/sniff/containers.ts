import { documentError } from '../../refusal.ts';
import { openArchive } from '../../zip/archive.ts';
import { Budget } from '../budget.ts';

const office = 'application/vnd.openxmlformats-officedocument.';

/** Kinds of office archives: a word in the content type of the main part, and its name for archives without types. */
const officeKinds = [
	{ type: /word/i, part: 'word/document.xml', mediaType: `${office}wordprocessingml.document` },
	{ type: /point|presentation/i, part: 'ppt/presentation.xml', mediaType: `${office}presentationml.presentation` },
	{ type: /excel|spreadsheet/i, part: 'xl/workbook.xml', mediaType: `${office}spreadsheetml.sheet` },
	{ type: /epub/i, part: 'META-INF/container.xml', mediaType: 'application/epub+zip' },
];

/** Documents, templates and shows, with or without macros, differ only in the content type of their main part. */
const mainPart = /ContentType\s{0,9}=\s{0,9}["']([^"']{1,200})\.main(?:\+xml)?["']/i;

/** The files that identify an archive are small. */
const maxInflated = 4_194_304;

/**
 * The media type of a zip file; `application/zip` when it is no document. Throws `E_DOCUMENT_UNREADABLE` for a damaged
 * file. Its bytes are not counted in the document's budget, because the reader of the document opens the file again.
 */
export async function archiveType(bytes: Uint8Array): Promise<string> {
	const archive = await openArchive(bytes, new Budget(maxInflated));
	const read = async (name: string, length: number) => (await archive.read(name))?.toString('latin1', 0, length);
	const declared = (await read('mimetype', 100))?.trim() ?? (await read('META-INF/manifest.xml', 65_536)) ?? '';
	if (declared === 'application/epub+zip') return declared;
	// Templates are read like the documents made from them.
	const [open = '', kind = ''] = /application\/vnd\.oasis\.opendocument\.([a-z]+)/.exec(declared) ?? [];
	if (['text', 'presentation', 'spreadsheet'].includes(kind)) return open;
	const type = mainPart.exec((await read('[Content_Types].xml', 1_048_576)) ?? '')?.[1] ?? '';
	const byType = officeKinds.find((kind) => kind.type.test(type));
	return (byType ?? officeKinds.find(({ part }) => archive.has(part)))?.mediaType ?? 'application/zip';
}

/** Kinds of compound files. Throws `E_DOCUMENT_ENCRYPTED` for a password, `E_DOCUMENT_UNSUPPORTED` for PowerPoint. */
export async function compoundFileType(bytes: Uint8Array): Promise<string | undefined> {
	const { streamsOf } = await import('../compound.ts');
	const has = streamsOf(bytes);
	if (has('EncryptedPackage')) throw documentError('E_DOCUMENT_ENCRYPTED');
	if (has('WordDocument')) return 'application/msword';
	if (has('Workbook') || has('Book')) return 'application/vnd.ms-excel';
	if (has('__properties_version1.0')) return 'application/vnd.ms-outlook';
	if (!has('PowerPoint Document')) return undefined;
	const message = 'A presentation in the old format of PowerPoint (.ppt) cannot be read: save it as .pptx.';
	throw documentError('E_DOCUMENT_UNSUPPORTED', { message });
}
