import type { Fault } from '../fault.ts';

const keys = ['test/e2e/keys.test.ts'];

/** What stands before the routes: keys, scopes, limits. */
export const httpFaults: readonly Fault[] = [
	{
		what: 'a scope grants every scope that it is a prefix of',
		file: 'core/kernel/src/http/gate/principals.ts',
		find: 'principal.scopes.includes(scope)',
		replace: 'principal.scopes.some((own) => scope.startsWith(own))',
		tests: keys,
	},
	{
		what: 'an event stream gives its request slot back twice',
		file: 'core/kernel/src/http/gate/admission.ts',
		find: 'this.#requests = 0;\n\t\tthis.#streams = 1;',
		replace: 'this.#streams = 1;',
		tests: ['test/e2e/admission.test.ts'],
	},
	{
		what: 'an event stream keeps its request slot',
		file: 'core/kernel/src/http/gate/admission.ts',
		find: 'this.#admission.count(this.#tenant, -1, 1, 0);\n\t\tthis.#requests = 0;',
		replace: 'this.#admission.count(this.#tenant, 0, 1, 0);',
		tests: ['core/kernel/test/http/gate/admission.test.ts'],
	},
	{
		what: 'a length that is no number spoils the sum of bodies',
		file: 'core/kernel/src/http/gate/admission.ts',
		find: 'const wanted = isLength ? declared : unknownBodyBytes;',
		replace: 'const wanted = declared ?? unknownBodyBytes;',
		tests: ['core/kernel/test/http/gate/admission.test.ts'],
	},
];
