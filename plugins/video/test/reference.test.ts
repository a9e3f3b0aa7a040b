import { isPlinthError, type UploadedFile } from '@plinth/core';
import { describe, expect, it } from 'vitest';
import { readReference } from '../src/reference.ts';

const url = 'data:image/png;base64,AAAA';
const upload: UploadedFile = {
	$kind: 'plinth.upload',
	filename: 'a.png',
	size: 1,
	sha256: '',
	mediaType: 'image/png',
	path: '/nowhere',
	bytes: async () => new Uint8Array(1),
	stream: async function* () {},
};

function refusal(sent: unknown): { code: unknown; param: unknown } | undefined {
	try {
		readReference(sent);
	} catch (error) {
		if (isPlinthError(error)) return { code: error.spec.code, param: error.param };
		throw error;
	}
	return undefined;
}

describe('readReference', () => {
	it('finds nothing where nothing was sent', () => {
		expect(readReference(undefined)).toBeUndefined();
		expect(readReference(null)).toBeUndefined();
	});

	it('takes a file and an object with a data URL', () => {
		expect(readReference(upload)).toBe(upload);
		expect(readReference({ image_url: upload })).toBe(upload);
		expect(readReference({ image_url: url })).toHaveLength(3);
		expect(readReference({ image_url: url, file_id: null })).toHaveLength(3);
	});

	it.each([
		['a.png', 'invalid_type', 'input_reference'],
		[5, 'invalid_type', 'input_reference'],
		[[upload, upload], 'invalid_value', 'input_reference'],
		[{}, 'missing_required_parameter', 'input_reference.image_url'],
		[{ image_url: 5 }, 'invalid_type', 'input_reference.image_url'],
		[{ image_url: [url, url] }, 'invalid_type', 'input_reference.image_url'],
		[{ image_url: 'http://a/b' }, 'invalid_value', 'input_reference.image_url'],
		[{ image_url: '' }, 'invalid_value', 'input_reference.image_url'],
		[{ file_id: 'file-1' }, 'unsupported_value', 'input_reference.file_id'],
		[{ image_url: url, file_id: 'file-1' }, 'invalid_value', 'input_reference'],
	])('refuses %j', (sent, code, param) => {
		expect(refusal(sent)).toEqual({ code, param });
	});

	it('takes a data URL of 20,971,520 characters and not one more', () => {
		const head = 'data:image/png;base64,';
		const fits = head + 'A'.repeat(20_971_520 - head.length);
		expect(refusal({ image_url: fits })).toBeUndefined();
		expect(refusal({ image_url: `${fits}A` })).toEqual({
			code: 'string_above_max_length',
			param: 'input_reference.image_url',
		});
	});
});
