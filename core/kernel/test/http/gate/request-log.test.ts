import { expect, test } from 'vitest';
import type { Authenticator } from '../../../src/contract/ports/authenticator.ts';
import { testServer } from '../support.ts';

/** The tenant and the principal of each key, as a host may identify them. */
function logOf(names: readonly (readonly [tenant: string, id: string])[]) {
	const authenticator: Authenticator = {
		authenticate: async (key) => {
			const [tenant = '', id = ''] = names[Number(key.slice(1))] ?? [];
			return { id, tenant, scopes: ['*'] };
		},
	};
	const { http, send, lines } = testServer([], { authenticator });
	return {
		ask: (index: number) => send('/v1/models', { headers: { authorization: `Bearer k${index}` } }),
		async named() {
			await http.pipeline.drained();
			return lines.map(({ fields }) => [fields.tenant, fields.principal]);
		},
	};
}

test('callers whose joined names are equal have separate lines', async () => {
	const names = [
		['a b', 'c'],
		['a', 'b c'],
		['a', 'b c'],
		['a","b', 'c'],
	] as const;
	const { ask, named } = logOf(names);
	for (const index of names.keys()) await ask(index);
	expect(await named()).toEqual(names);
});

test('every caller has its lines, also above the number that the cache holds', async () => {
	const names = Array.from({ length: 1_001 }, (_, index) => [`t${index}`, 'p'] as const);
	const { ask, named } = logOf(names);
	for (const index of [...names.keys(), 1_000, 0]) await ask(index);
	expect(await named()).toEqual([...names, ['t1000', 'p'], ['t0', 'p']]);
});
