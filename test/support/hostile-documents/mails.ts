import { compoundOf } from '../../../adapters/documents/test/ole/compound.ts';
import type { HostileDocument } from './document.ts';

const head = 'From: a@example.org\r\nTo: b@example.org\r\nSubject: the subject\r\nMIME-Version: 1.0\r\n';

/** A mail that contains a mail that contains a mail. */
function nestedMail(depth: number): Buffer {
	let mail = `${head}\r\nthe innermost body`;
	for (let level = 0; level < depth; level++) {
		mail = `${head}Content-Type: message/rfc822\r\n\r\n${mail}`;
	}
	return Buffer.from(mail);
}

function nestedParts(depth: number): Buffer {
	const open = Array.from(
		{ length: depth },
		(_, at) => `Content-Type: multipart/mixed; boundary=b${at}\r\n\r\n--b${at}\r\n`,
	);
	return Buffer.from(`${head}${open.join('')}\r\nthe body`);
}

function manyParts(count: number): Buffer {
	const part = '--b\r\nContent-Type: text/plain\r\n\r\na part\r\n';
	return Buffer.from(`${head}Content-Type: multipart/mixed; boundary=b\r\n\r\n${part.repeat(count)}--b--`);
}

/** A compound file whose first stream never ends: each of its sectors points to the next, the last one to the first. */
function endlessChain(name: string): Buffer {
	const file = compoundOf({ [name]: Buffer.alloc(20 * 512, 1) });
	// The sector table is at the end of the file.
	const table = file.length - 512;
	file.writeUInt32LE(0, table + 19 * 4);
	// The directory claims the maximum length for the stream.
	const entry = file.indexOf(Buffer.from(name, 'utf16le'));
	file.writeUInt32LE(0x7f_ff_ff_ff, entry + 120);
	return file;
}

/** The folders of the directory contain each other. */
function endlessFolders(): Buffer {
	const file = compoundOf({ a: { WordDocument: 'x' } });
	for (const name of ['a', 'WordDocument']) {
		const entry = file.indexOf(Buffer.from(`${name}\0`, 'utf16le'));
		for (const link of [68, 72, 76]) file.writeUInt32LE(1, entry + link);
	}
	return file;
}

/** Nested mails, and compound files with cycles. */
export const mails: readonly HostileDocument[] = [
	{ name: 'a mail 100 mails deep', make: () => nestedMail(100), ends: /the subject/ },
	{
		name: 'a mail of parts 1,000 deep',
		make: () => nestedParts(1_000),
		ends: 'document_unreadable',
	},
	{
		name: 'a mail of 100,000 parts',
		make: () => manyParts(100_000),
		ends: 'document_too_large',
	},
	...['WordDocument', 'Workbook', '__properties_version1.0'].map(
		(name): HostileDocument => ({
			name: `a compound file whose ${name} goes round`,
			make: () => endlessChain(name),
			ends: 'document_unreadable',
		}),
	),
	{
		name: 'a compound file whose folders go round',
		make: endlessFolders,
		ends: ['document_unreadable', 'document_unsupported'],
	},
	{
		name: 'an XLSX with a password',
		make: () => compoundOf({ EncryptionInfo: 'x', EncryptedPackage: Buffer.alloc(5_000) }),
		ends: 'document_encrypted',
	},
];
