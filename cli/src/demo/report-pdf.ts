/** A line of text and its start, in points from the lower left corner. */
interface Line {
	readonly x: number;
	readonly y: number;
	readonly size: number;
	readonly text: string;
}

const title = 'Rainfall in the second quarter';
const north =
	'The station in the north recorded the mildest spring since it was built. Snow had left ' +
	'the slopes by the middle of April, three weeks before the usual date, and the river ' +
	'reached its highest level on the second of May. Two bridges were closed for a day, and ' +
	'the road to the upper valley for almost a week. The harvest of hay began early, and ' +
	'those who keep bees speak of the best year in memory. The instruments were checked in ' +
	'March and again in June; no reading had to be corrected.';
const south =
	'In the south the season was dry. Two of the four gauges fell below the mark that calls ' +
	'for a warning, and the reservoir gave more water than it received in every week of the ' +
	'quarter. Rain came only in the last days of June, as a storm that brought half of the ' +
	'total in one night. The town asks its people to go on saving water until the autumn, ' +
	'and plans a second well near the old mill. One gauge was moved in May, because trees ' +
	'had grown over the place where it stood before.';
const caption = 'Table 1. Rainfall by station and month, as it was read at eight in the morning.';
const table = [
	['Station', 'April', 'May', 'June'],
	['Northfield', '41 mm', '63 mm', '72 mm'],
	['Hillcrest', '38 mm', '55 mm', '69 mm'],
	['Southport', '12 mm', '9 mm', '31 mm'],
];

/**
 * A PDF of one page with a title, two columns of prose and a table, as a test for document readers. A few kilobytes.
 */
export function reportPdf(): Uint8Array<ArrayBuffer> {
	const column = (text: string, x: number): Line[] =>
		wrapped(text, 44).map((line, row) => ({ x, y: 700 - row * 14, size: 10, text: line }));
	const cells = table.flatMap((row, y) =>
		row.map((text, x): Line => ({ x: 72 + x * 120, y: 480 - y * 14, size: 10, text })),
	);
	return pdfOf([
		{ x: 72, y: 740, size: 18, text: title },
		...column(north, 72),
		...column(south, 320),
		{ x: 72, y: 502, size: 10, text: caption },
		...cells,
	]);
}

function wrapped(text: string, width: number): readonly string[] {
	return text.match(new RegExp(`.{1,${width}}(?: |$)`, 'g'))?.map((line) => line.trim()) ?? [];
}

/** Writes one page of A4 in Helvetica, which every reader has (ISO 32000-1, 7.5 and 9.6.2.2). */
function pdfOf(lines: readonly Line[]): Uint8Array<ArrayBuffer> {
	const shown = lines.map(({ x, y, size, text }) => `BT /F1 ${size} Tf 1 0 0 1 ${x} ${y} Tm (${escaped(text)}) Tj ET`);
	const content = shown.join('\n');
	const objects = [
		'<< /Type /Catalog /Pages 2 0 R >>',
		'<< /Type /Pages /Kids [3 0 R] /Count 1 >>',
		'<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] /Contents 4 0 R /Resources << /Font << /F1 5 0 R >> >> >>',
		`<< /Length ${content.length} >>\nstream\n${content}\nendstream`,
		'<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding /WinAnsiEncoding >>',
		`<< /Title (${title}) /Author (Plinth) >>`,
	];
	let file = '%PDF-1.4\n';
	const offsets = objects.map((object, index) => {
		const offset = file.length;
		file += `${index + 1} 0 obj\n${object}\nendobj\n`;
		return `${String(offset).padStart(10, '0')} 00000 n \n`;
	});
	const start = file.length;
	file += `xref\n0 ${objects.length + 1}\n0000000000 65535 f \n${offsets.join('')}`;
	file += `trailer\n<< /Size ${objects.length + 1} /Root 1 0 R /Info 6 0 R >>\nstartxref\n${start}\n%%EOF\n`;
	return Uint8Array.from(Buffer.from(file, 'latin1'));
}

function escaped(text: string): string {
	return text.replace(/[\\()]/g, '\\$&');
}
