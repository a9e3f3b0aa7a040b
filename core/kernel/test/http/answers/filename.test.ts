import { validateHeaderValue } from 'node:http';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { anyText } from '../../../../../test/support/characters.ts';
import { defineRoute } from '../../../src/contract/http/route.ts';
import { isUpload } from '../../../src/contract/http/upload.ts';
import { attachment, shownFilename } from '../../../src/http/answers/filename.ts';
import { privateTemp, testServer } from '../support.ts';

/** File names of attacks, complete and in pieces. */
const attacks = [
	'../../etc/passwd',
	'..\\..\\windows\\system32\\config',
	'..%2f..%2fetc%2fpasswd',
	'%2e%2e/%2e%2e/x',
	'....//....//x',
	'/etc/passwd',
	'C:\\x.png',
	'\\\\server\\share\\x',
	'file:///etc/passwd',
	'.',
	'..',
	'...',
	'a\r\nx-evil: 1',
	'a\r\n\r\n<html>',
	'a\0.png',
	'x.png\0.html',
	'\u202egpj.exe',
	'\u2066a\u2069',
	'CON',
	'NUL.txt',
	'aux.png',
	'LPT1',
	'a:stream',
	'"; filename="b.html',
	"x'; filename*=utf-8''b.html",
	'\\"\\',
	'%22%0d%0a',
	'😀'.repeat(1_100),
	`${'a'.repeat(4_096)}.png`,
	'é'.repeat(2_000),
	'\ud800.png',
	' ',
	'',
	'~root',
	'$(id).png',
	'|id',
];
const piece = fc.oneof(fc.constantFrom(...attacks), anyText({ maxLength: 12 }));
const names = fc.oneof(
	fc.constantFrom(...attacks),
	fc.array(piece, { maxLength: 4 }).map((pieces) => pieces.join('')),
);
// biome-ignore lint/suspicious/noControlCharactersInRegex: the pattern matches control characters.
const forbidden = /[/\\\u0000-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]/;

function expectHarmless(name: string): void {
	expect(name).not.toMatch(forbidden);
	expect(name).not.toMatch(/^\.+$/);
	expect([...name].length).toBeLessThanOrEqual(255);
	expect(name.isWellFormed()).toBe(true);
}

describe('a file name', { timeout: 30_000 }, () => {
	it.each([
		['cat.png', 'cat.png'],
		['Bild aus Zürich (1).png', 'Bild aus Zürich (1).png'],
		['雪😀.webp', '雪😀.webp'],
		['../../etc/passwd', 'passwd'],
		['C:\\pictures\\a.png', 'a.png'],
		['a\r\nb.png', 'ab.png'],
		['\u202egpj.exe', 'gpj.exe'],
		['..', ''],
		['.env', '.env'],
		[' \t ', ''],
		[`${'a'.repeat(300)}.jpeg`, `${'a'.repeat(250)}.jpeg`],
		['😀'.repeat(300), '😀'.repeat(255)],
	])('%j is shown as %j', (sent, shown) => {
		expect(shownFilename(sent)).toBe(shown);
	});

	it('is harmless for any input, and makes one valid header', () => {
		fc.assert(
			fc.property(names, (name) => {
				const shown = shownFilename(name);
				expectHarmless(shown);
				expect(shownFilename(shown)).toBe(shown);
				const header = attachment(shown);
				expect(header).toMatch(/^attachment(?:; filename="(?:[^"\\]|\\.)*")?[^\r\n]*$/);
				expect(header.length).toBeLessThan(4_000);
				validateHeaderValue('content-disposition', header);
			}),
			{ numRuns: 5_000 },
		);
	});
});

const upload = defineRoute({
	method: 'POST',
	path: '/v1/names',
	scope: 'authenticated',
	summary: 's',
	encoding: 'multipart',
	body: z.looseObject({}),
	response: { description: 'x' },
	errors: [],
	handler: async ({ body }) => {
		const files = Object.values(body as object).filter(isUpload);
		const [kept] = await Promise.all(files.map((file) => file.bytes()));
		return { names: files.map(({ filename }) => filename), read: kept?.length ?? 0 };
	},
});

/** A part whose file has the name, written as browsers do or as in RFC 5987. */
function part(name: string, index: number, isExtended: boolean): string {
	const text = name.toWellFormed();
	const spelt = isExtended
		? `filename*=utf-8''${encodeURIComponent(text)}`
		: `filename="${text.replace(/[\\"]/g, '\\$&')}"`;
	return `--b\r\ncontent-disposition: form-data; name="f${index}"; ${spelt}\r\n\r\nx\r\n`;
}

describe('the files of a form', { timeout: 30_000 }, () => {
	it('have harmless names that do not affect where they are stored', async () => {
		const tempFiles = await privateTemp();
		const { send, lines } = testServer([upload]);
		await fc.assert(
			fc.asyncProperty(fc.array(names, { minLength: 16, maxLength: 16 }), fc.boolean(), async (list, isExtended) => {
				const parts = list.map((name, index) => part(name, index, isExtended));
				const answer = await send('/v1/names', {
					method: 'POST',
					headers: { 'content-type': 'multipart/form-data; boundary=b' },
					body: `${parts.join('')}--b--\r\n`,
				});
				expect(answer.status).toBeLessThan(500);
				expect(answer.headers.get('x-evil')).toBeNull();
				const body = (await answer.json()) as { names?: string[] };
				for (const name of body.names ?? []) expectHarmless(name);
			}),
			{ numRuns: 100 },
		);
		expect(await tempFiles()).toEqual([]);
		expect(lines.filter(({ level }) => level === 'error')).toEqual([]);
	});
});
