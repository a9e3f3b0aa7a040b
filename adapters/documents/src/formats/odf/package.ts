import { readXml } from '../../markup/xml.ts';
import { documentError } from '../../refusal.ts';
import { type Archive, openArchive } from '../../zip/archive.ts';
import type { Budget } from '../budget.ts';

/** The XML files of a document in OpenDocument's format. */
export interface Parts {
	readonly content: Buffer;
	/** Styles and what is known of the document; they are in `content` when it is all in one file. */
	readonly others: readonly Buffer[];
	/** Charts, formulas and other documents inside the document, by their names. */
	readonly objects: ReadonlyMap<string, Buffer>;
}

/**
 * Opens a document: a zip file, or all in one XML file. Throws `E_DOCUMENT_ENCRYPTED` for those with a password, `E_DOCUMENT_UNREADABLE` for those
 * that lack their text.
 */
export async function openParts(bytes: Uint8Array, budget: Budget): Promise<Parts> {
	const isZip = bytes[0] === 0x50 && bytes[1] === 0x4b;
	if (!isZip) {
		const content = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
		return { content, others: [], objects: new Map() };
	}
	const archive = await openArchive(bytes, budget);
	await refuseEncrypted(archive);
	const content = await archive.read('content.xml');
	if (!content) {
		throw documentError('E_DOCUMENT_UNREADABLE', {
			message: 'The document lacks the file that holds its text.',
		});
	}
	const others = [await archive.read('meta.xml'), await archive.read('styles.xml')];
	return {
		content,
		others: others.filter((part) => part !== undefined),
		objects: await objectsOf(archive),
	};
}

async function refuseEncrypted(archive: Archive): Promise<void> {
	const manifest = await archive.read('META-INF/manifest.xml');
	let isEncrypted = archive.has('encrypted-package');
	if (manifest) {
		const open = (name: string) => {
			isEncrypted ||= name.endsWith(':encryption-data');
		};
		readXml(manifest, { open }, { doctype: 'ignored' });
	}
	if (isEncrypted) throw documentError('E_DOCUMENT_ENCRYPTED');
}

async function objectsOf(archive: Archive): Promise<ReadonlyMap<string, Buffer>> {
	const objects = new Map<string, Buffer>();
	for (const { name } of archive.entries) {
		const folder = /^(.+)\/content\.xml$/.exec(name)?.[1];
		const content = folder === undefined ? undefined : await archive.read(name);
		if (folder !== undefined && content) objects.set(folder, content);
	}
	return objects;
}
