import { describe, expect, test } from 'vitest';
import { docxOf, pptxOf } from '../../../../../test/support/office.ts';
import { readDocx } from '../../../src/formats/ooxml/docx.ts';
import { readPptx } from '../../../src/formats/ooxml/pptx.ts';
import { textOf } from './reading.ts';

const r = (text: string) => `<m:r><m:t>${text}</m:t></m:r>`;
const math = (content: string) => `<m:oMath>${content}</m:oMath>`;
const text = (content: string) => textOf(readDocx, docxOf(`<w:p><w:r><w:t>Let </w:t></w:r>${math(content)}</w:p>`));

describe('a formula', () => {
	test('is on one line, with parentheses where parts are longer than a word', async () => {
		const fraction = `<m:f><m:num>${r('a+b')}</m:num><m:den>${r('2')}</m:den></m:f>`;
		const power = `<m:sSup><m:e>${r('x')}</m:e><m:sup>${r('n+1')}</m:sup></m:sSup>`;
		const index = `<m:sSub><m:e>${r('y')}</m:e><m:sub>${r('i')}</m:sub></m:sSub>`;
		expect(await text(index + power)).toBe('Let y_i x^(n+1)');
		expect(await text(fraction + r('=') + power + r('-') + index)).toBe('Let (a+b)/2=x^(n+1)-y_i');
	});

	test('has the brackets, sums and roots that are no text in the file', async () => {
		const inBrackets = (style: string, ...parts: string[]) =>
			`<m:d>${style}${parts.map((part) => `<m:e>${r(part)}</m:e>`).join('')}</m:d>`;
		const square = '<m:dPr><m:begChr m:val="["/><m:sepChr m:val=";"/><m:endChr m:val=")"/><m:ctrlPr/></m:dPr>';
		const sum = `<m:nary><m:naryPr><m:chr m:val="∑"/></m:naryPr><m:sub>${r('i=1')}</m:sub><m:sup>${r('n')}</m:sup><m:e>${r('i')}</m:e></m:nary>`;
		const root = `<m:rad><m:deg>${r('3')}</m:deg><m:e>${r('8')}</m:e></m:rad>`;
		expect(await text(r('f') + inBrackets('', 'x') + inBrackets(square, 'a', 'b'))).toBe('Let f(x)[a;b)');
		expect(await text(sum + root)).toBe('Let ∑_(i=1)^n i 3√8');
	});

	test('has the rows of a matrix one after the other', async () => {
		const row = (...cells: string[]) => `<m:mr>${cells.map((cell) => `<m:e>${r(cell)}</m:e>`).join('')}</m:mr>`;
		expect(await text(`<m:d><m:e><m:m>${row('1', '0')}${row('0', '1')}</m:m></m:e></m:d>`)).toBe('Let (1, 0; 0, 1)');
	});

	test('is read on slides likewise', async () => {
		const shapes = `<p:sp><p:txBody><a:p><a:r><a:t>Let </a:t></a:r>${math(`<m:sSup><m:e>${r('x')}</m:e><m:sup>${r('2')}</m:sup></m:sSup>`)}</a:p></p:txBody></p:sp>`;
		expect(await textOf(readPptx, pptxOf([{ shapes }]))).toBe('Let x^2');
	});
});
