import { openCompoundFile } from '../../ole/compound-file.ts';
import { documentError } from '../../refusal.ts';
import { type Archive, openArchive } from '../../zip/archive.ts';
import { Budget } from '../budget.ts';

const office = 'application/vnd.openxmlformats-officedocument.';
const openDocument = 'application/vnd.oasis.opendocument.';

/**
 * What kind of document a zip file is; `application/zip` when it is none. Throws `E_DOCUMENT_UNREADABLE` when it is damaged,
 * `E_DOCUMENT_TOO_LARGE` when what says so is no short text.
 * What is inflated here is not counted on the document's budget: its reader will open the file again.
 */
export async function archiveType(bytes: Uint8Array): Promise<string> {
	const archive = await openArchive(bytes, new Budget(maxInflated));
	return (await declaredType(archive)) ?? (await officeType(archive)) ?? partsType(archive) ?? 'application/zip';
}

/** The files that say what an archive is are small. An archive of thousands of archives is not to be inflated for its members' names. */
const maxInflated = 4_194_304;

/** Kinds of OLE2 compound files. Throws `E_DOCUMENT_ENCRYPTED` for Office files with a password, `E_DOCUMENT_UNSUPPORTED` for PowerPoint. */
export function compoundFileType(bytes: Uint8Array): string | undefined {
	const names = new Set(openCompoundFile(bytes).names);
	if (names.has('EncryptedPackage')) throw documentError('E_DOCUMENT_ENCRYPTED');
	if (names.has('WordDocument')) return 'application/msword';
	if (names.has('Workbook') || names.has('Book')) return 'application/vnd.ms-excel';
	if (names.has('__properties_version1.0')) return 'application/vnd.ms-outlook';
	if (!names.has('PowerPoint Document')) return undefined;
	throw documentError('E_DOCUMENT_UNSUPPORTED', {
		message: 'A presentation in the old format of PowerPoint (.ppt) cannot be read: save it as .pptx.',
	});
}

/** OpenDocument and EPUB say what they are in a file of their own, OpenDocument in its manifest as well. Templates are read as what they make. */
async function declaredType(archive: Archive): Promise<string | undefined> {
	const mimetype = (await archive.read('mimetype'))?.toString('latin1', 0, 100).trim();
	const declared = mimetype ?? (await manifestType(archive));
	if (declared === 'application/epub+zip') return declared;
	const kind = /^application\/vnd\.oasis\.opendocument\.(text|presentation|spreadsheet)\b/.exec(declared ?? '')?.[1];
	return kind && openDocument + kind;
}

async function manifestType(archive: Archive): Promise<string | undefined> {
	const manifest = (await archive.read('META-INF/manifest.xml'))?.toString('latin1', 0, 65_536);
	return manifest && /application\/vnd\.oasis\.opendocument\.[a-z-]+/.exec(manifest)?.[0];
}

async function officeType(archive: Archive): Promise<string | undefined> {
	const types = (await archive.read('[Content_Types].xml'))?.toString('latin1', 0, 1_048_576);
	if (types === undefined) return undefined;
	if (types.includes('ms-excel.sheet.binary')) {
		throw documentError('E_DOCUMENT_UNSUPPORTED', {
			message: 'A binary workbook (.xlsb) cannot be read: save it as .xlsx.',
		});
	}
	return mainParts.find(([part]) => part.test(types))?.[1];
}

/** Documents, templates and shows, with and without macros, differ in the content type of their main part only. */
const mainParts: readonly (readonly [RegExp, string])[] = [
	[/(?:wordprocessingml|ms-word)\.(?:document|template)\S{0,100}\.main\+xml/i, `${office}wordprocessingml.document`],
	[
		/(?:presentationml|ms-powerpoint)\.(?:presentation|template|slideshow|addin)\S{0,100}\.main\+xml/i,
		`${office}presentationml.presentation`,
	],
	[/(?:spreadsheetml|ms-excel)\.(?:sheet|template|addin)\S{0,100}\.main\+xml/i, `${office}spreadsheetml.sheet`],
];

/** Files whose own description is missing are known by the part that holds their content. */
function partsType(archive: Archive): string | undefined {
	if (archive.has('word/document.xml')) return `${office}wordprocessingml.document`;
	if (archive.has('ppt/presentation.xml')) return `${office}presentationml.presentation`;
	if (archive.has('xl/workbook.xml')) return `${office}spreadsheetml.sheet`;
	return archive.has('META-INF/container.xml') ? 'application/epub+zip' : undefined;
}
