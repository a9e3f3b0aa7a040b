import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Base64Decoder, DataUrlError, decodeDataUrl, decodeFileData } from '../../../src/http/bodies/files/data-url.ts';

describe('decodeDataUrl', () => {
	it('decodes any bytes, with and without padding', () => {
		fc.assert(
			fc.property(fc.uint8Array({ minLength: 1, maxLength: 300 }), fc.boolean(), (bytes, padded) => {
				const data = Buffer.from(bytes).toString('base64');
				const url = `data:image/png;base64,${padded ? data : data.replaceAll('=', '')}`;
				expect(Buffer.from(decodeDataUrl(url))).toEqual(Buffer.from(bytes));
			}),
		);
	});

	it.each([
		'data:;base64,AAAA',
		'data:base64;base64,AAAA',
		'DATA:image/PNG;BASE64,AAAA',
		'data:image/png;charset=binary;name="a b.png";base64,AAAA',
		'data:image/png; base64,AAAA',
		'data:image/png;base64,AA AA',
		'data:image/png;base64,\r\n A\tA\fAA\n',
	])('accepts %s', (url) => {
		expect(decodeDataUrl(url)).toHaveLength(3);
	});

	it.each([
		['https://example.org/a.png', 'only data URLs'],
		['HTTP://example.org/a.png', 'only data URLs'],
		['file:///etc/passwd', 'a data URL is expected'],
		['iVBORw0KGgo=', 'a data URL is expected'],
		['data:image/png;base64', 'no comma'],
		['data:image/png,%89PNG', 'must be base64'],
		['data:image/pngbase64,AAAA', 'must be base64'],
		['data:image/png;base64,', 'holds no data'],
		['data:image/png;base64,A', 'not valid base64'],
		['data:image/png;base64,AAAAA', 'not valid base64'],
		['data:image/png;base64,AA=AAA', 'not valid base64'],
		['data:image/png;base64,AAAA====', 'not valid base64'],
		['data:image/png;base64,%41%41%41%41', 'not valid base64'],
	])('refuses %s', (url, reason) => {
		expect(() => decodeDataUrl(url)).toThrow(DataUrlError);
		expect(() => decodeDataUrl(url)).toThrow(reason);
	});

	it('refuses any single damaged character', () => {
		const good = Buffer.from('a picture, more or less').toString('base64').replaceAll('=', '');
		fc.assert(
			fc.property(
				fc.nat(good.length - 1),
				fc.constantFrom('!', '*', '\v', '%', 'é', '=', '\u0141', '\u00a0'),
				(at, bad) => {
					const damaged = good.slice(0, at) + bad + good.slice(at + 1);
					// Padding at the end is valid; it only shortens the data.
					fc.pre(!(bad === '=' && at === good.length - 1));
					expect(() => decodeDataUrl(`data:;base64,${damaged}`)).toThrow(DataUrlError);
				},
			),
		);
	});
});

describe('decodeFileData', () => {
	it.each([
		['data:text/plain;base64,aGk=', 'hi'],
		['aGk=', 'hi'],
		['aGk', 'hi'],
		['data:,a%20b', 'a b'],
		['data:text/plain;charset=utf-8,%C3%A9', 'é'],
		['data:text/plain,é', 'é'],
		['data:,100%', '100%'],
		['data:,%zz%4', '%zz%4'],
		['data:,a+b', 'a+b'],
		['data:application/pdf,JVBERi0xLjQ=', '%PDF-1.4'],
		['data:application/pdf;name=a.pdf,JVBERi0xLjQ', '%PDF-1.4'],
		['data:application/pdf,%25PDF-1.4', '%PDF-1.4'],
	])('accepts %s', (text, content) => {
		expect(Buffer.from(decodeFileData(text)).toString()).toBe(content);
	});

	it.each([
		['', 'holds no data'],
		['data:', 'no comma'],
		['data:,', 'holds no data'],
		['data:;base64,', 'holds no data'],
		['data:;base64,****', 'not valid base64'],
		['report.pdf', 'not valid base64'],
		['ftp://example.org/a', 'a data URL is expected'],
	])('refuses %j', (text, reason) => {
		expect(() => decodeFileData(text)).toThrow(DataUrlError);
		expect(() => decodeFileData(text)).toThrow(reason);
	});
});

it('decodes no percent signs in long data', () => {
	expect(decodeFileData(`data:,${'a'.repeat(1_048_570)}`)).toHaveLength(1_048_570);
	expect(() => decodeFileData(`data:,${'a'.repeat(1_048_571)}`)).toThrow('must be base64');
});

describe('a base64 decoder', () => {
	it('returns the same bytes for any split of the text', () => {
		fc.assert(
			fc.property(
				fc.uint8Array({ minLength: 1, maxLength: 100 }),
				fc.array(fc.nat({ max: 7 }), { minLength: 1 }),
				fc.constantFrom<BufferEncoding>('base64', 'base64url'),
				(bytes, sizes, encoding) => {
					const text = Buffer.from(bytes).toString(encoding);
					const decoder = new Base64Decoder();
					const parts: Buffer[] = [];
					for (let at = 0, turn = 0; at < text.length; turn++) {
						const size = 1 + (sizes[turn % sizes.length] ?? 0);
						parts.push(decoder.push(text.slice(at, at + size)));
						at += size;
					}
					expect(Buffer.concat([...parts, decoder.end()])).toEqual(Buffer.from(bytes));
				},
			),
		);
	});

	it.each([
		['AAA=', 'AAAA'],
		['AA', '==', '='],
		['AAAA', 'A'],
		['AAAA', '=', ' ', 'A'],
		['AAAA', ' A'],
		['AAAA', '=', 'A'],
	])('refuses %s', (...pieces) => {
		const decoder = new Base64Decoder();
		expect(() => {
			for (const piece of pieces) decoder.push(piece);
			decoder.end();
		}).toThrow('not valid base64');
	});
});
