import { expect, it } from 'vitest';
import { newRequestId } from '../../src/http/exchange.ts';

it('gives every request its own id', () => {
	const ids = Array.from({ length: 5_000 }, newRequestId);
	expect(new Set(ids).size).toBe(ids.length);
	expect(ids.filter((id) => !/^req_[0-9a-f]{32}$/.test(id))).toEqual([]);
});
