import { plinthError } from '../../contract/errors/coded-error.ts';
import type { RouteScope } from '../../contract/http/route.ts';
import type { Authenticator, Principal } from '../../contract/ports/authenticator.ts';

/** The principal of public routes. */
export const anonymous: Principal = Object.freeze({
	id: 'anonymous',
	tenant: 'anonymous',
	scopes: Object.freeze([]),
});

const everybody: Principal = Object.freeze({
	id: 'anonymous',
	tenant: 'default',
	scopes: Object.freeze(['*']),
});

/** Where authentication is off, every caller is one principal that may do everything, whatever key it sends. */
export const openAuthenticator: Authenticator = {
	authenticate: () => Promise.resolve(everybody),
	identify: () => Promise.resolve(everybody),
};

/** Throws `E_SCOPE_MISSING` unless the principal may use the scope. */
export function checkScope(principal: Principal, scope: RouteScope): void {
	if (scope === 'public' || scope === 'authenticated') return;
	if (principal.scopes.includes('*') || principal.scopes.includes(scope)) return;
	throw plinthError('E_SCOPE_MISSING', { message: `The API key lacks the scope "${scope}".` });
}
