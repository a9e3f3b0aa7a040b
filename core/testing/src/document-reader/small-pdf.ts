/** The content of a PDF. */
export interface SmallPdf {
	/** Lines of each page, in ASCII. */
	readonly pages: readonly (readonly string[])[];
	/** Encrypted with an unknown password. */
	readonly isLocked?: boolean;
}

const hash = Buffer.alloc(32, 'no').toString('hex');
const encryption = `/Encrypt << /Filter /Standard /V 1 /R 2 /P -4 /O <${hash}> /U <${hash}> >> /ID [<00> <00>]`;

/** Writes a PDF with 400 x 300 points per page. */
export function smallPdf({ pages, isLocked = false }: SmallPdf): Buffer {
	const kids = pages.map((_, at) => `${4 + 2 * at} 0 R`).join(' ');
	const resources = '/Resources << /Font << /F1 3 0 R >> >>';
	const objects = [
		'<< /Type /Catalog /Pages 2 0 R >>',
		`<< /Type /Pages /Count ${pages.length} /Kids [${kids}] >>`,
		'<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding /WinAnsiEncoding >>',
		...pages.flatMap((lines, at) => {
			const operators = lines.map((line) => `(${line.replace(/[\\()]/g, '\\$&')}) Tj T*`);
			const content = `BT /F1 12 Tf 14 TL 40 250 Td ${operators.join(' ')} ET`;
			return [
				`<< /Type /Page /Parent 2 0 R /MediaBox [0 0 400 300] /Contents ${5 + 2 * at} 0 R ${resources} >>`,
				`<< /Length ${content.length} >>\nstream\n${content}\nendstream`,
			];
		}),
	];
	let file = '%PDF-1.4\n';
	const offsets = objects.map((body, at) => {
		const offset = String(file.length).padStart(10, '0');
		file += `${at + 1} 0 obj\n${body}\nendobj\n`;
		return `${offset} 00000 n \n`;
	});
	const [start, size] = [file.length, objects.length + 1];
	file += `xref\n0 ${size}\n0000000000 65535 f \n${offsets.join('')}`;
	file += `trailer\n<< /Size ${size} /Root 1 0 R ${isLocked ? encryption : ''} >>\nstartxref\n${start}\n%%EOF\n`;
	return Buffer.from(file, 'latin1');
}
