import { describe, expect, it } from 'vitest';
import { documentFromField } from '../src/files/sent-document.ts';

describe('a document that is sent as a data URL', () => {
	it('is refused with advice about its encoding when the encoding is damaged', () => {
		expect(() => documentFromField('data:application/pdf;base64,AAAA*', 'file')).toThrow(
			'file: the data is not valid base64. Encode the whole file as base64 and send it again.',
		);
	});
});
