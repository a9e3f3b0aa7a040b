import type { Fault } from '../fault.ts';

const source = 'adapters/keys/src';
const ring = ['adapters/keys/test/ring.test.ts'];
const authenticator = ['adapters/keys/test/authenticator.test.ts'];
const firstKey = ['adapters/keys/test/first-key.test.ts'];

/** Faults of API keys. */
export const keyFaults: readonly Fault[] = [
	{
		what: 'one key is configured for two tenants',
		file: `${source}/keys.ts`,
		find: 'tenants.set(key, tenant);',
		replace: '',
		tests: ['adapters/keys/test/configured-keys.test.ts'],
	},
	{
		what: 'two processes that start together create a first key each',
		file: `${source}/key-ring.ts`,
		find: 'firstKey, {}, { ifVersion: 0 })',
		replace: 'firstKey, {})',
		tests: firstKey,
	},
	{
		what: 'a first key is created although keys are configured',
		file: `${source}/key-ring.ts`,
		find: 'if (hasConfigured || !store || !records) return null;',
		replace: 'if (!store || !records) return null;',
		tests: firstKey,
	},
	{
		what: 'an ambiguous id revokes the first of two keys',
		file: `${source}/key-ring.ts`,
		find: '&& others.length === 0 ?',
		replace: '?',
		tests: ring,
	},
	{
		what: 'an expired key is still accepted',
		file: `${source}/keys.ts`,
		find: ', clock.now())) return null;',
		replace: ', 0)) return null;',
		tests: ring,
	},
	{
		what: 'a key is accepted in the millisecond in which it expires',
		file: `${source}/key-ring.ts`,
		find: 'now >= value.expiresAt',
		replace: 'now > value.expiresAt',
		tests: ring,
	},
	{
		what: 'the update of the last use restores a revoked key',
		file: `${source}/key-ring.ts`,
		find: '{ ifVersion, index }',
		replace: '{ index }',
		tests: authenticator,
	},
	{
		what: 'every request writes the last use of its key',
		file: `${source}/keys.ts`,
		find: 'isRecent(key.value.lastUsedAt) ||',
		replace: 'isRecent(undefined) &&',
		tests: authenticator,
	},
	{
		what: 'keys are refused while the store is unreachable',
		file: `${source}/key-ring.ts`,
		find: "throw plinthError('E_STORE_UNAVAILABLE', { cause });",
		replace: 'return null;',
		tests: authenticator,
	},
	{
		what: 'guesses without a checksum reach the store',
		file: `${source}/key-format.ts`,
		find: 'key.startsWith(prefix) && key.slice(-8) === checksum(key.slice(0, -8))',
		replace: 'key.startsWith(prefix)',
		tests: ring,
	},
	{
		what: 'the hint of a key shows eight characters',
		file: `${source}/key-ring.ts`,
		find: '[key.slice(-4), clock.now()]',
		replace: '[key.slice(-8), clock.now()]',
		tests: ring,
	},
];
