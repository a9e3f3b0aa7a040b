import { apiKeys } from '@plinth/keys';
import { createBackend } from '@plinth/testing';
import { describe, expect, test } from 'vitest';
import { testKeys } from './support.ts';

const refusalOf = (keys: string | string[]) =>
	createBackend(apiKeys({ keys })).then(
		async ({ stop }) => {
			await stop();
			return 'accepted';
		},
		(error: Error) => error.message,
	);

const shared = 'the-shared-key-of-two';

describe('one key for two tenants', () => {
	test.each([
		['in a text', `a:${shared},b:${shared}`, 'entry 2 of 2'],
		['in a list', [`a:${shared}`, `b:${shared}`], 'entry 2 of 2'],
		['with other entries between them', `a:${shared},c:the-key-of-another,b:${shared}`, 'entry 3 of 3'],
		['once with a tenant and once bare', `a:${shared},${shared}`, 'entry 2 of 2'],
		['once bare and once with a tenant', `${shared},a:${shared}`, 'entry 2 of 2'],
	])('is rejected %s, and the message does not contain the key', async (_how, keys, entry) => {
		const message = await refusalOf(keys);
		expect(message).toContain(`${entry} repeats the key of another tenant`);
		expect(message).not.toContain(shared);
	});

	test('is accepted when both entries name the same tenant', async () => {
		const { authenticator } = await testKeys({ keys: `a:${shared},a:${shared}` });
		expect(await authenticator.authenticate(shared)).toMatchObject({ tenant: 'a' });
	});
});

test.each([
	['a key with a blank', 'a:two words', 'entry 1 of 1 has no key'],
	['a tenant without a key', 'a:', 'entry 1 of 1 has no key'],
	['a key longer than 512 characters', `a:${'k'.repeat(513)}`, 'entry 1 of 1 has no key'],
	['an empty tenant', ':the-key-of-nobody', 'entry 1 of 1 has an empty tenant'],
	[
		'a key of three characters',
		'a:key',
		'has a key of 3 characters; at least 16 are needed. Make one: openssl rand -hex 24',
	],
	['a key of 15 characters', 'fifteen-letters', 'has a key of 15 characters'],
	['commas alone', ',,', 'has no key'],
])('%s is rejected', async (_what, keys, reason) => {
	expect(await refusalOf(keys)).toContain(reason);
});

test('a key of 16 characters is accepted', async () => {
	expect(await refusalOf('a:sixteen-letters-')).toBe('accepted');
});
