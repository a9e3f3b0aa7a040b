import { describe, expect, it } from 'vitest';
import { free, own } from '../../../src/image/edit/own.ts';

describe('pixels of a codec', () => {
	it('are copied, and their memory is given back at once', () => {
		const data = new Uint8Array(16).fill(7);
		const picture = own({ width: 2, height: 2, data });
		expect(picture.data).toEqual(new Uint8Array(16).fill(7));
		expect(data.byteLength).toBe(0);
	});

	it('are left alone where others have a part of their memory', () => {
		const memory = new Uint8Array(32).fill(7);
		own({ width: 2, height: 2, data: memory.subarray(8, 24) });
		free(memory.subarray(1));
		expect(memory).toEqual(new Uint8Array(32).fill(7));
	});
});
