import { constants, deflateRawSync } from 'node:zlib';
import { onePage, rawPdf, stream } from '../../../adapters/documents/test/hostile-pdf.ts';
import { show, tinyPdf } from '../../../adapters/documents/test/tiny-pdf.ts';
import type { HostileDocument } from './document.ts';

const hello = show(['Hello from the page', 72, 700]);
const seen = /Hello from the page/;
const whole = () => tinyPdf({ pages: [hello, hello] });

/**
 * Operators of half a gibibyte. One block of them is deflated and repeated. PDF engines tolerate the missing checksum.
 */
function flateBomb(): Buffer {
	const operators = Buffer.alloc(1_048_576, '0 0 m 9 9 l S\n  ');
	const block = deflateRawSync(operators, { finishFlush: constants.Z_FULL_FLUSH });
	const parts = [Buffer.from([0x78, 0x9c]), ...Array<Buffer>(512).fill(block), deflateRawSync('')];
	const packed = stream(Buffer.concat(parts), '/Filter /FlateDecode');
	return onePage('', '/Contents 6 0 R', [packed]);
}

function pagesOf(count: number): Buffer {
	const kids = Array.from({ length: count }, (_, at) => `${at + 3} 0 R`).join(' ');
	return rawPdf([
		'<< /Type /Catalog /Pages 2 0 R >>',
		`<< /Type /Pages /Count ${count} /Kids [${kids}] /MediaBox [0 0 99 99] >>`,
		...Array<string>(count).fill('<< /Type /Page /Parent 2 0 R >>'),
	]);
}

/** A cross-reference table that names itself as the previous one. */
function previousLoop(): Buffer {
	const file = whole().toString('latin1');
	const start = file.lastIndexOf('xref\n0');
	return Buffer.from(file.replace('trailer\n<<', `trailer\n<< /Prev ${start}`), 'latin1');
}

const heads = Array.from({ length: 20_000 }, (_, at) => `${at + 1} 0 obj\n<< /A`).join('\n');
const pageLoop = [
	'<< /Type /Catalog /Pages 2 0 R >>',
	'<< /Type /Pages /Count 9 /Kids [2 0 R 3 0 R 2 0 R] >>',
	'<< /Type /Pages /Parent 2 0 R /Count 9 /Kids [2 0 R 3 0 R] >>',
];

/** PDFs that are broken, endless or huge. */
export const pdfs: readonly HostileDocument[] = [
	{
		name: 'a PDF without a trailer',
		make: () => whole().subarray(0, whole().lastIndexOf('xref\n0')),
		ends: 'document_unreadable',
	},
	{
		name: 'a PDF behind other bytes',
		make: () => Buffer.concat([Buffer.alloc(17 * 300, 'HTTP/1.1 200 OK\r\n'), whole()]),
		ends: seen,
	},
	{
		name: 'a PDF with a page of a billion points',
		make: () => onePage(hello, '/MediaBox [0 0 1e9 1e9]'),
		ends: seen,
	},
	{
		name: 'a PDF with a text far from its page',
		make: () => onePage(`${hello} BT /F1 12 Tf 1e30 -1e30 Td (far) Tj ET`),
		ends: seen,
	},
	{
		name: 'a PDF in letters of a millionth of a point',
		make: () => onePage(`${hello} BT /F1 0.000001 Tf 72 500 Td (tiny) Tj ET`),
		ends: seen,
	},
	{
		name: 'a PDF whose pages go round',
		make: () => rawPdf(pageLoop),
		ends: /^\n*$/,
	},
	{
		name: 'a PDF whose cross-references go round',
		make: previousLoop,
		ends: seen,
	},
	{
		name: 'a PDF of 20,000 objects that never end',
		make: () => Buffer.from(`%PDF-1.4\n${heads}`),
		ends: ['document_unreadable', 'document_timeout'],
	},
	{
		name: 'a PDF of 100,000 empty pages',
		make: () => pagesOf(100_000),
		ends: 'document_too_large',
	},
	{
		name: 'three of 100,000 empty pages of a PDF',
		make: () => pagesOf(100_000),
		pages: '1,50000,99999-100000',
		ends: /^\n{3}$/,
	},
	{
		name: 'a PDF with a password',
		make: () => tinyPdf({ pages: [hello], user: 'secret' }),
		ends: 'document_encrypted',
	},
];

/** Exceeds the time limit of every engine: the operators of its page take half a gibibyte. */
export const flateBombPdf: HostileDocument = {
	name: 'a PDF of 1 MB with operators of 512 MiB',
	make: flateBomb,
	ends: ['document_timeout', 'document_too_large'],
};
