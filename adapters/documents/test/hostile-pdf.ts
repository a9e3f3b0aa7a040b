/** A PDF of the given object texts; the first is the catalogue. */
export function rawPdf(objects: readonly string[], trailer = ''): Buffer {
	let file = '%PDF-1.7\n';
	const offsets = objects.map((body, at) => {
		const offset = file.length;
		file += `${at + 1} 0 obj\n${body}\nendobj\n`;
		return `${String(offset).padStart(10, '0')} 00000 n \n`;
	});
	const start = file.length;
	const size = objects.length + 1;
	file += `xref\n0 ${size}\n0000000000 65535 f \n${offsets.join('')}`;
	file += `trailer\n<< /Size ${size} /Root 1 0 R ${trailer} >>\nstartxref\n${start}\n%%EOF\n`;
	return Buffer.from(file, 'latin1');
}

/** A stream object. */
export function stream(content: string | Buffer, entries = ''): string {
	const data = Buffer.from(content as string, 'latin1');
	return `<< /Length ${data.length} ${entries} >>\nstream\n${data.toString('latin1')}\nendstream`;
}

/** A PDF with one page of the given content and page entries. Its objects are 3 to 5; `others` follow. */
export function onePage(content: string, entries = '', others: readonly string[] = []): Buffer {
	return rawPdf([
		'<< /Type /Catalog /Pages 2 0 R >>',
		'<< /Type /Pages /Count 1 /Kids [3 0 R] >>',
		`<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Contents 5 0 R /Resources << /Font << /F1 4 0 R >> >> ${entries} >>`,
		'<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding /WinAnsiEncoding >>',
		stream(content),
		...others,
	]);
}
