import { expect, it } from 'vitest';
import { digestOf } from '../src/key-format.ts';
import { RecentDigests } from '../src/recent-digests.ts';

it('digests of good keys are remembered, those of others are made anew', () => {
	const digests = new RecentDigests();
	const good = digests.of('good');
	expect(good).toEqual(digestOf('good'));
	expect(digests.of('good')).not.toBe(good);
	digests.remember('good', good);
	expect(digests.of('good')).toBe(good);
	expect(digests.of('other')).toEqual(digestOf('other'));
});

it('only few digests are remembered', () => {
	const digests = new RecentDigests();
	const first = digests.of('key-0');
	digests.remember('key-0', first);
	expect(digests.of('key-0')).toBe(first);
	for (let i = 1; i < 66; i += 1) digests.remember(`key-${i}`, digests.of(`key-${i}`));
	expect(digests.of('key-0')).not.toBe(first);
	expect(digests.of('key-0')).toEqual(first);
});
