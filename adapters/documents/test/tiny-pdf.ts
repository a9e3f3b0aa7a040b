import { createHash } from 'node:crypto';
import { rawPdf } from './hostile-pdf.ts';

/** What a made PDF holds besides its pages. */
export interface TinyPdf {
	/** Content streams, one per page; Helvetica is `/F1`. */
	readonly pages: readonly string[];
	readonly title?: string;
	/** Passwords; streams are encrypted with RC4, 40 bits. */
	readonly user?: string;
	readonly owner?: string;
}

/** A content stream that shows texts at places counted from the page's lower left corner. */
export function show(...texts: readonly (readonly [text: string, x: number, y: number])[]): string {
	return texts
		.map(([text, x, y]) => `BT /F1 12 Tf ${x} ${y} Td (${text.replace(/[\\()]/g, '\\$&')}) Tj ET`)
		.join('\n');
}

/** Writes a PDF with 612 x 792 points per page, WinAnsi text, a cross-reference table and a trailer. */
export function tinyPdf({ pages, title, user, owner }: TinyPdf): Buffer {
	const id = Buffer.alloc(16, 7);
	const lock = user === undefined && owner === undefined ? undefined : lockOf(user, owner, id);
	const kids = pages.map((_, at) => `${5 + 2 * at} 0 R`).join(' ');
	const objects = [
		'<< /Type /Catalog /Pages 2 0 R >>',
		`<< /Type /Pages /Count ${pages.length} /Kids [${kids}] >>`,
		'<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding /WinAnsiEncoding >>',
		`<< ${title === undefined ? '' : `/Title (${title})`} /CreationDate (D:20260102030405Z) >>`,
		...pages.flatMap((content, at) => {
			const number = 6 + 2 * at;
			const data = Buffer.from(content, 'latin1');
			const bytes = lock ? rc4(lock.keyOf(number), data) : data;
			return [
				`<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Contents ${number} 0 R /Resources << /Font << /F1 3 0 R >> >> >>`,
				`<< /Length ${bytes.length} >>\nstream\n${bytes.toString('latin1')}\nendstream`,
			];
		}),
	];
	const encrypt = lock ? `/Encrypt ${lock.dictionary} /ID [<${hex(id)}> <${hex(id)}>]` : '';
	return rawPdf(objects, `/Info 4 0 R ${encrypt}`);
}

const padding = Buffer.from(
	'28bf4e5e4e758a4164004e56fffa01082e2e00b6d0683e802f0ca9fe6453697a',
	'hex',
);

/** The standard security handler, revision 2 (ISO 32000-1, 7.6.3). */
function lockOf(user = '', owner = user, id: Buffer) {
	const padded = (text: string) => Buffer.concat([Buffer.from(text), padding]).subarray(0, 32);
	const ownerEntry = rc4(md5(padded(owner)).subarray(0, 5), padded(user));
	const permissions = Buffer.from([0xfc, 0xff, 0xff, 0xff]);
	const key = md5(padded(user), ownerEntry, permissions, id).subarray(0, 5);
	const entries = `/O <${hex(ownerEntry)}> /U <${hex(rc4(key, padding))}> /P -4`;
	return {
		dictionary: `<< /Filter /Standard /V 1 /R 2 ${entries} >>`,
		keyOf: (number: number) =>
			md5(key, Buffer.from([number & 255, number >> 8, 0, 0, 0])).subarray(0, 10),
	};
}

function md5(...parts: readonly Buffer[]): Buffer {
	return createHash('md5').update(Buffer.concat(parts)).digest();
}

function hex(bytes: Buffer): string {
	return bytes.toString('hex');
}

function rc4(key: Buffer, data: Buffer): Buffer {
	const state = Uint8Array.from({ length: 256 }, (_, at) => at);
	const swap = (a: number, b: number) => {
		[state[a], state[b]] = [state[b] as number, state[a] as number];
	};
	let j = 0;
	for (let i = 0; i < 256; i++) {
		j = (j + (state[i] as number) + (key[i % key.length] as number)) & 255;
		swap(i, j);
	}
	let i = 0;
	j = 0;
	return Buffer.from(
		data.map((byte) => {
			i = (i + 1) & 255;
			j = (j + (state[i] as number)) & 255;
			swap(i, j);
			return byte ^ (state[((state[i] as number) + (state[j] as number)) & 255] as number);
		}),
	);
}
