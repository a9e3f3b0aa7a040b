import { deflateSync } from 'node:zlib';

const words =
	'the quick harbour of a river holds its light while people walk along with their own thoughts about trade and value'.split(
		' ',
	);
const wordsPerLine = 10;

/** A PDF with this many pages and lines per page. A line has about 60 characters, and all pages differ. */
export function longPdf(pages: number, lines: number): Buffer {
	const kids = Array.from({ length: pages }, (_, page) => `${4 + 2 * page} 0 R`).join(' ');
	const parts: Buffer[] = [Buffer.from('%PDF-1.4\n')];
	const offsets: number[] = [];
	let length = 9;
	const write = (body: string | Buffer) => {
		const part = Buffer.concat([
			Buffer.from(`${offsets.length + 1} 0 obj\n`),
			Buffer.from(body as string),
			Buffer.from('\nendobj\n'),
		]);
		offsets.push(length);
		parts.push(part);
		length += part.length;
	};
	write('<< /Type /Catalog /Pages 2 0 R >>');
	write(`<< /Type /Pages /Count ${pages} /Kids [${kids}] >>`);
	write('<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding /WinAnsiEncoding >>');
	for (let page = 0; page < pages; page++) {
		write(
			`<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Contents ${5 + 2 * page} 0 R /Resources << /Font << /F1 3 0 R >> >> >>`,
		);
		const data = deflateSync(contentOf(page, lines), { level: 1 });
		const head = `<< /Length ${data.length} /Filter /FlateDecode >>\nstream\n`;
		write(Buffer.concat([Buffer.from(head), data, Buffer.from('\nendstream')]));
	}
	const entries = offsets.map((offset) => `${String(offset).padStart(10, '0')} 00000 n \n`);
	const size = offsets.length + 1;
	const end = `xref\n0 ${size}\n0000000000 65535 f \n${entries.join('')}trailer\n<< /Size ${size} /Root 1 0 R >>\nstartxref\n${length}\n%%EOF\n`;
	return Buffer.concat([...parts, Buffer.from(end)]);
}

function contentOf(page: number, count: number): string {
	const lines = Array.from({ length: count }, (_, line) =>
		Array.from(
			{ length: wordsPerLine },
			(_, word) => words[(page * 7 + line * 5 + word * (1 + (page % 3))) % words.length],
		).join(' '),
	);
	return `BT /F1 10 Tf 72 740 Td 14 TL (Page ${page + 1}) Tj T* ${lines.map((line) => `(${line}) Tj T*`).join('\n')} ET`;
}
