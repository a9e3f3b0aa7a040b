import type { Fault } from '../fault.ts';

const keys = ['test/e2e/keys.test.ts'];

/** What stands before the routes: keys, scopes, limits. */
export const httpFaults: readonly Fault[] = [
	{
		what: 'a scope grants every scope that it is a prefix of',
		file: 'core/kernel/src/http/gate/authentication.ts',
		find: 'principal.scopes.includes(scope)',
		replace: 'principal.scopes.some((own) => scope.startsWith(own))',
		tests: keys,
	},
	{
		what: 'an event stream gives its request slot back twice',
		file: 'core/kernel/src/http/gate/admission.ts',
		find: "kind = 'streams';",
		replace: '',
		tests: ['test/e2e/admission.test.ts'],
	},
	{
		what: 'an event stream keeps its request slot',
		file: 'core/kernel/src/http/gate/admission.ts',
		find: 'load.requests -= 1;',
		replace: '',
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
