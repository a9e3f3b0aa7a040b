import { describe, expect, test } from 'vitest';
import { Budget } from '../src/formats/budget.ts';
import type { ReadContext } from '../src/formats/format.ts';
import { findTessdata, openOcr } from '../src/ocr/engine.ts';
import { readPicture } from '../src/ocr/picture.ts';
import { itemsOfWords } from '../src/ocr/words.ts';

const context: ReadContext = {
	options: {},
	budget: new Budget(),
	depth: 0,
	progress: () => {},
	readInner: () => Promise.reject(new Error('none')),
};

function png(width: number, height: number): Buffer {
	const head = Buffer.alloc(33);
	head.write('\x89PNG\r\n\x1a\n\0\0\0\rIHDR', 'latin1');
	head.writeUInt32BE(width, 16);
	head.writeUInt32BE(height, 20);
	return head;
}

function bitmap(width: number, height: number): Buffer {
	const head = Buffer.alloc(54);
	head.write('BM');
	head.writeUInt32LE(40, 14);
	head.writeInt32LE(width, 18);
	head.writeInt32LE(height, 22);
	return head;
}

function tiff(width: number, height: number): Buffer {
	const bytes = Buffer.alloc(64);
	bytes.write('II*\0', 'latin1');
	bytes.writeUInt32LE(8, 4);
	bytes.writeUInt16LE(3, 8);
	[width, height, 1].forEach((value, index) => {
		bytes.writeUInt16LE([256, 257, 259][index] ?? 0, 10 + 12 * index);
		bytes.writeUInt16LE(4, 12 + 12 * index);
		bytes.writeUInt32LE(1, 14 + 12 * index);
		bytes.writeUInt32LE(value, 18 + 12 * index);
	});
	return bytes;
}

const latin = (text: string) => Buffer.from(text, 'latin1');

describe('the size of a picture', () => {
	// 30,000 x 20,000 pixels exceed the limit.
	test.each([
		['PNG', png(30_000, 20_000)],
		['GIF', latin('GIF89a\x30\x75\x20\x4e\0\0\0')],
		['BMP', bitmap(30_000, 20_000)],
		['BMP that counts from above', bitmap(30_000, -20_000)],
		['TIFF', tiff(30_000, 20_000)],
		['JPEG', latin('\xff\xd8\xff\xe0\x00\x04ab\xff\xc0\x00\x11\x08\x4e\x20\x75\x30\x03')],
		['WebP', latin('RIFF\0\0\0\0WEBPVP8X\x0a\0\0\0\0\0\0\0\x2f\x75\0\x1f\x4e\0')],
	])('is read from the header of a %s', async (_, bytes) => {
		await expect(readPicture(bytes, context)).rejects.toMatchObject({
			code: 'E_DOCUMENT_TOO_LARGE',
			sentence: expect.stringContaining('30000 x 20000 pixels'),
		});
	});

	test.each([
		['nothing', Buffer.alloc(0)],
		['a PNG that ends early', png(3, 3).subarray(0, 18)],
		['a TIFF whose directory is elsewhere', latin('II*\0\xff\xff\xff\x7f')],
		['a JPEG without a frame', latin('\xff\xd8\xff\xe0\x00\x04ab\xff\xd9')],
		['a PNG of no size', png(0, 9)],
	])('is unknown for %s', async (_, bytes) => {
		await expect(readPicture(bytes, context)).rejects.toMatchObject({ code: 'E_DOCUMENT_UNREADABLE' });
	});
});

describe('pictures', () => {
	test('without OCR are one empty page with needsOcr', async () => {
		expect(await readPicture(png(30, 20), context)).toEqual({
			mediaType: 'image/png',
			pageCount: 1,
			pages: [{ page: 1, text: '', needsOcr: true }],
		});
	});

	test('of more than 50 megapixels are rejected before they are decoded', async () => {
		await expect(readPicture(png(60_000, 60_000), context)).rejects.toMatchObject({
			code: 'E_DOCUMENT_TOO_LARGE',
		});
	});

	test('without a size are rejected', async () => {
		await expect(readPicture(latin('GIF89a'), context)).rejects.toMatchObject({
			code: 'E_DOCUMENT_UNREADABLE',
		});
	});
});

describe('OCR', () => {
	test('is unavailable for languages without data', () => {
		expect(findTessdata(['nosuchlanguage'], undefined)).toBeUndefined();
		expect(openOcr({ languages: ['eng'], tessdata: '/nowhere', page() {} })).toBeUndefined();
		expect(openOcr(undefined)).toBeUndefined();
	});

	test('word boxes are as high as their font, on a common baseline', () => {
		const word = (text: string, y: number, height: number) => ({
			text,
			x: 0,
			y,
			width: 20,
			height,
			confidence: 0.9,
		});
		// At 20 points: ascenders are 14.4 high, x-height letters 10, descenders reach 4.2 below.
		const items = itemsOfWords([word('The', 5.6, 14.4), word('sea', 10, 10), word('page', 10, 14.2), word('-', 14, 1)]);
		for (const { y, height } of items) {
			expect(y).toBeCloseTo(4, 0);
			expect(height).toBeCloseTo(20.2, 0);
		}
	});

	test('specks are not words, and the text of the page is kept', () => {
		const speck = { text: '~', x: 0, y: 0, width: 2, height: 2, confidence: 0.1 };
		const printed = { text: 'Page 1', x: 5, y: 6, width: 30, height: 10 };
		expect(itemsOfWords([speck, printed])).toEqual([{ ...printed, rotation: 0 }]);
	});
});
