import { CFB, type FullProperties, read, set_cptable } from '@e965/xlsx';
import * as codePages from '@e965/xlsx/dist/cpexcel.full.mjs';
import { documentError } from '../refusal.ts';

interface CompoundFile {
	/** From the root, separated by slashes. Folders end in a slash. */
	readonly FullPaths: readonly string[];
	readonly FileIndex: readonly { readonly type: number; readonly size: number; readonly content?: Uint8Array }[];
}

/** Whether streams are in the root of an OLE2 compound file. Throws `E_DOCUMENT_UNREADABLE` for a damaged one. */
export function streamsOf(bytes: Uint8Array): (name: string) => boolean {
	const { FullPaths: paths } = opened(bytes);
	return (name) => paths.includes(`${paths[0]}${name}`);
}

/** The same file without cycles in its chains of sectors, which libraries would follow endlessly. */
export function rewritten(bytes: Uint8Array): Buffer {
	return CFB.write(opened(bytes), { type: 'buffer' });
}

/** The metadata of a compound file. Empty if it is damaged, because the text can be read without it. */
export function propertiesOf(file: Buffer): FullProperties {
	set_cptable(codePages);
	try {
		return read(file, { bookProps: true }).Props ?? {};
	} catch {
		return {};
	}
}

function opened(bytes: Uint8Array): CompoundFile {
	try {
		const file: CompoundFile = CFB.read(Buffer.from(bytes), { type: 'buffer' });
		const isCut = file.FileIndex.some(({ type, size, content }) => type === 2 && (content?.length ?? 0) < size);
		if (isCut) throw new Error('A stream is shorter than its entry says.');
		return file;
	} catch (cause) {
		const message = 'The document is an old Office file whose parts cannot be found.';
		throw documentError('E_DOCUMENT_UNREADABLE', { message, cause });
	}
}
