import { describe, expect, test } from 'vitest';
import { imageFromUrl, sentImage } from '../../src/http/sent-image.ts';

function refusal(work: () => unknown): unknown {
	try {
		work();
	} catch (error) {
		const { code, param } = error as { code: string; param: string };
		return [code, param];
	}
	return 'taken';
}

const noText = [{ toString: 'x' }, { toString: null }, {}, [], [{}], 1, true, Object.create(null)];

describe('values that are no picture', () => {
	test.each(noText.map((value) => [value]))('%o as a data URL', (value) => {
		expect(refusal(() => imageFromUrl(value, 'image', { maxUrlLength: 10 }))).toEqual([
			'E_VALUE_TYPE',
			'image',
		]);
		expect(refusal(() => sentImage({ image_url: value }, 'image'))).toEqual([
			'E_VALUE_TYPE',
			'image.image_url',
		]);
	});

	test.each([[undefined], [null], [1], ['x'], [[]], [true]])('%o as a picture', (value) => {
		expect(refusal(() => sentImage(value, 'image'))).toEqual(['E_VALUE_TYPE', 'image']);
	});

	test('data URLs that are too long', () => {
		const sent = () => imageFromUrl('data:image/png;base64,AAAA', 'image', { maxUrlLength: 25 });
		expect(refusal(sent)).toEqual(['E_STRING_TOO_LONG', 'image']);
	});
});

test('a short data URL is its bytes', () => {
	const options = { maxUrlLength: 26 };
	expect(imageFromUrl('data:image/png;base64,AAAA', 'image', options)).toEqual(Buffer.alloc(3));
});
