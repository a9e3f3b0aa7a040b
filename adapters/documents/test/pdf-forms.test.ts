import { expect, test } from 'vitest';
import { readDocument } from '../src/read.ts';
import { rawPdf, stream } from './hostile-pdf.ts';
import { show } from './tiny-pdf.ts';

const widget = '/Type /Annot /Subtype /Widget /F 4 /P 3 0 R';

/** A page with labels, and fields without appearances. Field objects begin at 6. */
function form(labels: string, fields: readonly string[]): Buffer {
	const numbers = fields.map((_, at) => `${at + 6} 0 R`).join(' ');
	return rawPdf([
		`<< /Type /Catalog /Pages 2 0 R /AcroForm << /Fields [${numbers}] >> >>`,
		'<< /Type /Pages /Count 1 /Kids [3 0 R] >>',
		`<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Contents 5 0 R /Resources << /Font << /F1 4 0 R >> >> /Annots [${numbers}] >>`,
		'<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>',
		stream(labels),
		...fields,
	]);
}

async function linesOf(labels: string, fields: readonly string[]): Promise<string[]> {
	const { pages = [] } = await readDocument(form(labels, fields));
	return pages[0]?.text.split('\n').map((line) => line.trim().replace(/ {2,}/g, ' | ')) ?? [];
}

test('the value of a field is beside its label', async () => {
	const labels = show(['Name', 72, 700], ['Town', 300, 700]);
	const fields = [
		`<< ${widget} /FT /Tx /T (name) /V (Ada Lovelace) /Rect [120 695 280 712] >>`,
		`<< ${widget} /FT /Tx /T (town) /V (London) /Rect [345 695 480 712] >>`,
	];
	expect((await linesOf(labels, fields))[0]).toMatch(/^Name \| Ada Lovelace \| Town \|? ?London$/);
});

test('checkboxes and radio buttons have their state', async () => {
	const states = '/AP << /N << /Yes null /Off null >> >>';
	const fields = [
		`<< ${widget} /FT /Btn /T (member) /V /Yes /AS /Yes /Rect [72 658 86 672] ${states} >>`,
		`<< ${widget} /FT /Btn /T (guest) /V /Off /AS /Off /Rect [172 658 186 672] ${states} >>`,
	];
	const labels = show(['Member', 92, 660], ['Guest', 192, 660]);
	expect(await linesOf(labels, fields)).toEqual(['[x] Member | [ ] Guest']);
});

test('choices have the selected value, and long answers have all lines', async () => {
	const fields = [
		`<< ${widget} /FT /Ch /Ff 131072 /T (country) /Opt [(France) (Spain)] /V (Spain) /Rect [140 575 280 592] >>`,
		`<< ${widget} /FT /Tx /Ff 4096 /T (remarks) /V (First line\\rSecond line) /Rect [140 500 480 552] >>`,
	];
	const lines = await linesOf(show(['Country', 72, 580], ['Remarks', 72, 540]), fields);
	expect(lines.filter(Boolean)).toEqual(['Country | Spain', 'Remarks | First line', 'Second line']);
});

test('the values of password fields are omitted', async () => {
	const field = `<< ${widget} /FT /Tx /Ff 8192 /T (secret) /V (hunter2) /Rect [140 695 280 712] >>`;
	expect(await linesOf(show(['Secret', 72, 700]), [field])).toEqual(['Secret']);
});

test('free text annotations are read', async () => {
	const note = '<< /Type /Annot /Subtype /FreeText /F 4 /Contents (A typed note) /Rect [72 600 300 620] >>';
	expect(await linesOf(show(['Above', 72, 700]), [note])).toContain('A typed note');
});
