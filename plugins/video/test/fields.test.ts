import { videoSizes as sizes } from '@plinth/toolkit';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { contentQuery, createBody, listQuery } from '../src/fields.ts';

const least = { prompt: 'a cat', model: 'm' };

describe('the create body', () => {
	it('leaves size and length to the model by default', () => {
		expect(createBody.parse(least)).toEqual(least);
	});

	it.each(['2', '4', '8', '12', 2, 4, 8, 12])('accepts %j seconds', (seconds) => {
		expect(createBody.parse({ ...least, seconds }).seconds).toBe(Number(seconds));
	});

	it.each(['3', '5', '', '04', '4.0', ' 4', 0, -4, 16, 4.5, null, true, ['4']])('rejects %j seconds', (seconds) => {
		const { error } = createBody.safeParse({ ...least, seconds });
		expect(error?.issues).toMatchObject([{ path: ['seconds'], code: 'invalid_value' }]);
	});

	it('accepts only the six sizes', () => {
		for (const size of sizes) expect(createBody.parse({ ...least, size }).size).toBe(size);
		for (const size of ['1024x1024', '720X1280', '', 'auto']) {
			expect(createBody.safeParse({ ...least, size }).success).toBe(false);
		}
	});

	it('counts the code points of the prompt', () => {
		const cats = '🐈'.repeat(32_000);
		expect(createBody.parse({ ...least, prompt: cats }).prompt).toBe(cats);
		const issueOf = (prompt: string) => createBody.safeParse({ ...least, prompt }).error?.issues[0]?.code;
		expect(issueOf(`${cats}.`)).toBe('too_big');
		expect(issueOf('')).toBe('too_small');
	});

	it('accepts unknown members, which some SDKs send', () => {
		expect(createBody.parse({ ...least, fps: 30 })).not.toHaveProperty('fps');
	});

	it('does not throw for any input', () => {
		fc.assert(fc.property(fc.anything(), (value) => void createBody.safeParse(value)));
	});
});

describe('the queries', () => {
	it('have the documented defaults', () => {
		expect(listQuery.parse({})).toEqual({ limit: 20, order: 'desc' });
		expect(contentQuery.parse({})).toEqual({ variant: 'video' });
	});

	it.each(['0', '100', 7])('accept limit %j', (limit) => {
		expect(listQuery.parse({ limit }).limit).toBe(Number(limit));
	});

	it.each(['-1', '101', '1.5', 'ten', '', '1e1', '0x10', ['1', '2']])('reject limit %j', (limit) => {
		expect(listQuery.safeParse({ limit }).success).toBe(false);
	});
});
