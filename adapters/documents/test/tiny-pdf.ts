import { rawPdf } from './hostile-pdf.ts';
import { type Cipher, lockOf } from './pdf-lock.ts';

/** The content of a generated PDF. */
export interface TinyPdf {
	/** Content streams, one per page; Helvetica is `/F1`. */
	readonly pages: readonly string[];
	readonly title?: string;
	/** When a password is given, streams and strings are encrypted. */
	readonly user?: string;
	readonly owner?: string;
	/** Defaults to RC4 with 40 bits. */
	readonly cipher?: Cipher;
}

/** A content stream with texts at positions relative to the lower left corner of the page. */
export function show(...texts: readonly (readonly [text: string, x: number, y: number])[]): string {
	return texts.map(([text, x, y]) => `BT /F1 12 Tf ${x} ${y} Td (${text.replace(/[\\()]/g, '\\$&')}) Tj ET`).join('\n');
}

/** Writes a PDF with 612 x 792 points per page, WinAnsi text, a cross-reference table and a trailer. */
export function tinyPdf({ pages, title, user, owner, cipher }: TinyPdf): Buffer {
	const isLocked = user !== undefined || owner !== undefined;
	const lock = isLocked ? lockOf({ user, owner, cipher }) : undefined;
	const string = (text: string) => (lock ? `<${lock.encrypted(4, Buffer.from(text)).toString('hex')}>` : `(${text})`);
	const kids = pages.map((_, at) => `${5 + 2 * at} 0 R`).join(' ');
	const objects = [
		'<< /Type /Catalog /Pages 2 0 R >>',
		`<< /Type /Pages /Count ${pages.length} /Kids [${kids}] >>`,
		'<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding /WinAnsiEncoding >>',
		`<< ${title === undefined ? '' : `/Title ${string(title)}`} /CreationDate ${string('D:20260102030405Z')} >>`,
		...pages.flatMap((content, at) => {
			const number = 6 + 2 * at;
			const data = Buffer.from(content, 'latin1');
			const bytes = lock?.encrypted(number, data) ?? data;
			return [
				`<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Contents ${number} 0 R /Resources << /Font << /F1 3 0 R >> >> >>`,
				`<< /Length ${bytes.length} >>\nstream\n${bytes.toString('latin1')}\nendstream`,
			];
		}),
	];
	return rawPdf(objects, `/Info 4 0 R ${lock?.entries ?? ''}`);
}
