import type { Fault } from '../fault.ts';

const keys = ['test/e2e/keys.test.ts'];

/** Faults of the checks before the routes: keys, scopes, limits. */
export const httpFaults: readonly Fault[] = [
	{
		what: 'a scope grants every scope that it is a prefix of',
		file: 'core/kernel/src/http/gate/authentication.ts',
		find: 'principal.scopes.includes(scope)',
		replace: 'principal.scopes.some((own) => scope.startsWith(own))',
		tests: keys,
	},
	{
		what: 'an event stream releases its request slot twice',
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
		what: 'an invalid length corrupts the sum of bodies',
		file: 'core/kernel/src/http/gate/admission.ts',
		find: 'const needed = isLength ? declared : unknownBodyBytes;',
		replace: 'const needed = declared ?? unknownBodyBytes;',
		tests: ['core/kernel/test/http/gate/admission.test.ts'],
	},
	{
		what: 'a precheck that hangs has no deadline',
		file: 'core/kernel/src/http/routing/endpoint.ts',
		find: 'return await orAbort(exchange, work).catch(',
		replace: 'return await work.catch(',
		tests: ['core/kernel/test/http/routing/deadline.test.ts'],
	},
];
