import { constants, deflateRawSync } from 'node:zlib';
import { docxOf } from '../office.ts';
import { type ZipEntry, zipOf, zipOfFiles } from '../zip.ts';
import type { HostileDocument } from './document.ts';

const mebibyte = 1_048_576;
const flood = 'document_too_large';

/** Deflates a mebibyte once and repeats it. A fully flushed block refers to no earlier data. */
function deflatedFlood(unit: string, mebibytes: number): Buffer {
	const block = Buffer.alloc(mebibyte - (mebibyte % unit.length), unit);
	const packed = deflateRawSync(block, { finishFlush: constants.Z_FULL_FLUSH });
	return Buffer.concat([...Array<Buffer>(mebibytes).fill(packed), deflateRawSync('')]);
}

/** A DOCX whose text is `packed` and whose header claims `size` bytes. */
function docxWith(packed: Buffer, size: number): Buffer {
	const types =
		'<Types><Override PartName="/word/document.xml" ContentType="application/vnd.openxmlformats-officedocument.wordprocessingml.document.main+xml"/></Types>';
	return zipOf([
		{ name: '[Content_Types].xml', content: types },
		{ name: 'word/document.xml', packed, size },
	]);
}

function nestedZip(depth: number): Buffer {
	let inner = zipOfFiles({ 'note.txt': 'the innermost text' });
	for (let level = 0; level < depth; level++) inner = zipOfFiles({ 'inner.zip': inner });
	return inner;
}

/** All entries share the bytes of the first one. */
function overlapping(count: number): Buffer {
	const packed = deflatedFlood('overlap ', 1);
	const others = Array.from({ length: count - 1 }, (_, at): ZipEntry => {
		return { name: `${at}.txt`, sameAs: 0, size: mebibyte };
	});
	return zipOf([{ name: 'first.txt', packed, size: mebibyte }, ...others]);
}

/** Archives that unpack to too much data, have wrong headers, or are nested too deeply. */
export const archives: readonly HostileDocument[] = [
	{
		name: 'a DOCX of 1 MB that unpacks to 1 GiB',
		make: () => docxWith(deflatedFlood('<w:p/>', 1024), 1024 * mebibyte),
		ends: flood,
	},
	{
		name: 'a DOCX of 300 MiB that claims a thousand bytes',
		make: () => docxWith(deflatedFlood('words ', 300), 1_000),
		ends: flood,
	},
	{
		name: 'a ZIP of 5,001 files',
		make: () => zipOf(Array.from({ length: 5_001 }, (_, at) => ({ name: `${at}.txt` }))),
		ends: flood,
	},
	{
		name: 'a ZIP of 1,000 files that share a mebibyte',
		make: () => overlapping(1_000),
		ends: flood,
	},
	{
		name: 'a ZIP in a ZIP in a ZIP in a ZIP',
		make: () => nestedZip(3),
		ends: 'document_unsupported',
	},
	{
		name: 'a ZIP with a locked file',
		make: () =>
			zipOf([
				{ name: 'open.txt', content: 'an open text' },
				{ name: 'locked.txt', content: 'a locked text', isEncrypted: true },
			]),
		ends: /an open text\n.*\n.*password/,
	},
	{
		name: 'a ZIP whose names climb out of it',
		make: () => zipOfFiles({ '../../../../etc/cron.d/evil': 'climbing', '/abs/olute': 'x' }),
		ends: /climbing/,
	},
	{
		name: 'a DOCX of 20,000 tables within each other',
		make: () => docxOf(`${'<w:tbl><w:tr><w:tc>'.repeat(20_000)}<w:p/>`),
		ends: 'document_unreadable',
	},
	{
		name: 'a DOCX that is cut in the middle',
		make: () => docxOf('<w:p><w:r><w:t>whole</w:t></w:r></w:p>').subarray(0, 700),
		ends: 'document_unreadable',
	},
];
