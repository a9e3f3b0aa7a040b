import type { IncomingMessage } from 'node:http';
import { plinthError } from '../../contract/errors/coded-error.ts';
import type { RouteScope } from '../../contract/http/route.ts';
import type { Authenticator, Principal } from '../../contract/ports/authenticator.ts';
import type { HttpMiddleware } from '../context.ts';
import { headerValues } from '../exchange.ts';
import { httpLimits } from '../limits.ts';
import type { CountFailure } from './auth-failures.ts';

export const anonymous: Principal = Object.freeze({ id: 'anonymous', tenant: 'anonymous', scopes: Object.freeze([]) });

const defaultPrincipal: Principal = Object.freeze({ id: 'anonymous', tenant: 'default', scopes: Object.freeze(['*']) });

/** Without authentication every caller is one principal with all scopes, whatever key it sends. */
export const openAuthenticator: Authenticator = {
	authenticate: () => Promise.resolve(defaultPrincipal),
	identify: () => Promise.resolve(defaultPrincipal),
};

/** Authenticates requests that need a key. Throws as {@link authenticate} does, `E_RATE_LIMITED` or `E_DEADLINE`. */
export function authentication(authenticator: Authenticator, countFailure: CountFailure): HttpMiddleware {
	return async ({ req, state: { entry, exchange } }, next) => {
		try {
			exchange.setDeadline(httpLimits.timeoutMs);
			exchange.principal = await exchange.orAbort(authenticate(req, authenticator, entry.host));
			exchange.isFromHost = authenticator.identify !== undefined;
		} catch (error) {
			await countFailure(req, error);
			throw error;
		}
		await next();
	};
}

/**
 * Finds the principal. The key is sent as `Authorization: Bearer <key>`, as `x-api-key`, or as both with one value.
 * Throws `E_KEY_MISSING` without a key, `E_KEY_INVALID` for an unknown key and for malformed, repeated or contradicting
 * headers. An authenticator with `identify` gets the arguments of the host instead.
 */
async function authenticate(req: IncomingMessage, authenticator: Authenticator, host: readonly unknown[] = [req]) {
	if (authenticator.identify) return authenticator.identify(...host);
	// Not req.headers: Node keeps the first of two Authorization headers there, and joins two x-api-key.
	const authorization = headerValues(req, 'authorization');
	const apiKey = headerValues(req, 'x-api-key');
	if (authorization.length + apiKey.length === 0) throw plinthError('E_KEY_MISSING');
	const keys = [...authorization.map((header) => bearerPattern.exec(header)?.[1]), ...apiKey];
	const [key = ''] = keys;
	const isRepeated = authorization.length > 1 || apiKey.length > 1;
	const isOneKey = keyPattern.test(key) && keys.every((other) => other === key);
	const principal = !isRepeated && isOneKey ? await authenticator.authenticate(key) : undefined;
	if (principal) return principal;
	if (authorization.every((header) => /^bearer\b/i.test(header))) throw plinthError('E_KEY_INVALID');
	const message = 'The Authorization header does not begin with "Bearer".';
	throw plinthError('E_KEY_INVALID', { message, remedy: 'Send "Authorization: Bearer <key>".' });
}

// No comma: a proxy that joins repeated headers must not turn two keys into a third. No blanks, no tabs.
const keyPattern = /^[\x21-\x2b\x2d-\x7e]{1,512}$/;
const bearerPattern = /^Bearer +([^ ]+)$/i;

/** Throws `E_SCOPE_MISSING` unless the principal has the scope. `isFromHost`: the host has identified the principal. */
export function checkScope(principal: Principal, scope: RouteScope, isFromHost: boolean): void {
	if (scope === 'public' || scope === 'authenticated') return;
	if (principal.scopes.includes('*') || principal.scopes.includes(scope)) return;
	throw plinthError('E_SCOPE_MISSING', {
		message: `The ${isFromHost ? 'caller' : 'API key'} lacks the scope "${scope}".`,
		...(isFromHost && { remedy: 'The application that embeds this server decides on scopes.' }),
	});
}
