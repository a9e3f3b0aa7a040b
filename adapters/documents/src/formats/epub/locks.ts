import { readXml } from '../../markup/xml.ts';
import type { Archive } from '../../zip/archive.ts';
import { decoded } from './names.ts';

/** Ways to keep fonts from being taken out of a book. They lock nothing that is read. */
const forFonts = new Set(['http://www.idpf.org/2008/embedding', 'http://ns.adobe.com/pdf/enc#RC']);

/** The names of the files that are encrypted, other than fonts that are only disguised. */
export async function lockedFiles(archive: Archive): Promise<ReadonlySet<string>> {
	const locked = new Set<string>();
	const bytes = await archive.read('META-INF/encryption.xml');
	if (!bytes) return locked;
	let isForFonts = false;
	readXml(
		bytes,
		{
			open(written, attributes) {
				const name = written.slice(written.indexOf(':') + 1);
				if (name === 'EncryptedData') isForFonts = false;
				if (name === 'EncryptionMethod') isForFonts ||= forFonts.has(attributes.Algorithm ?? '');
				if (name === 'CipherReference' && !isForFonts) locked.add(decoded(attributes.URI ?? ''));
			},
		},
		{ doctype: 'ignored' },
	);
	return locked;
}
