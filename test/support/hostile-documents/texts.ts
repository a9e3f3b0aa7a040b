import { solidPng } from '../png.ts';
import { type HostileDocument, noise } from './document.ts';

const megabyte = 1_000_000;
const unknown = ['document_unsupported', 'document_unreadable'];
/** The noise claims to be an image of any size. */
const claims = [...unknown, 'document_too_large'];
const page = Buffer.from('<!DOCTYPE html><body><p>a page of the web</p></body>');

/** The first bytes of files in many formats. */
const beginnings: Readonly<Record<string, string | Buffer>> = {
	PDF: '%PDF-1.7\n1 0 obj\n',
	ZIP: 'PK\x03\x04',
	'a compound file': Buffer.from('d0cf11e0a1b11ae1', 'hex'),
	PNG: Buffer.from('89504e470d0a1a0a0000000d49484452', 'hex'),
	JPEG: Buffer.from('ffd8ffe000104a464946', 'hex'),
	WebP: 'RIFF\xff\xff\xff\x00WEBPVP8 ',
	TIFF: 'II*\x00\x08\x00\x00\x00',
	GIF: 'GIF89a',
	BMP: 'BM\xff\xff\xff\x00',
};

/** Files that are large, empty, mislabelled or noise. */
export const texts: readonly HostileDocument[] = [
	...Object.entries(beginnings).map(([name, head]): HostileDocument => {
		const start = Buffer.isBuffer(head) ? head : Buffer.from(head, 'latin1');
		return {
			name: `noise behind the beginning of ${name}`,
			make: () => Buffer.concat([start, noise(100_000)]),
			ends: claims,
		};
	}),
	{ name: 'no byte at all', make: () => Buffer.alloc(0), ends: 'document_unreadable' },
	{ name: 'one letter', make: () => Buffer.from('x'), ends: /^x$/ },
	{ name: 'one zero', make: () => Buffer.alloc(1), ends: unknown },
	{ name: '50 MB of zeros', make: () => Buffer.alloc(50 * megabyte), ends: unknown },
	{ name: 'noise', make: () => noise(megabyte), ends: unknown },
	{ name: 'HTML that says it is a PDF', filename: 'a.pdf', make: () => page, ends: /^a page of/ },
	{
		name: 'a PNG that says it is a DOCX',
		filename: 'a.docx',
		make: () => Buffer.from(solidPng(64, 64, [255, 255, 255])),
		ends: /^$/,
	},
	{
		name: 'a text of 49 MB',
		make: () => Buffer.alloc(49 * megabyte, 'Every line of it is as long as the others.\n'),
		ends: /^Every line/,
	},
	{
		name: 'a CSV of one line of 40 MB',
		make: () => Buffer.alloc(40 * megabyte, '"1",2,'),
		ends: /1\W{1,3}2/,
	},
	{
		name: 'a CSV of three million rows',
		make: () => Buffer.alloc(18 * megabyte, '1,"2"\n'),
		ends: /^1\t2\n1\t2\n/,
	},
	{
		name: 'a CSV of quotation marks',
		make: () => Buffer.concat([Buffer.from('a,b\n'), Buffer.alloc(megabyte, '"a","')]),
		ends: /^a/,
	},
	{
		name: 'RTF of a million open braces',
		make: () => Buffer.from(`{\\rtf1 the beginning ${'{'.repeat(megabyte)}`),
		ends: 'document_unreadable',
	},
	{
		name: 'RTF that announces a terabyte',
		make: () => Buffer.from('{\\rtf1 the beginning \\bin1099511627776 x}'),
		ends: /the beginning/,
	},
	{
		name: 'half characters and marks that turn the text',
		make: () => Buffer.from(`\ufeff${'the word '.repeat(50)}\ud800\u202e\u0000\udc00`, 'utf16le'),
		ends: /the word/,
	},
];
