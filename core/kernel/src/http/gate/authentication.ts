import type { IncomingMessage } from 'node:http';
import { plinthError } from '../../contract/errors/coded-error.ts';
import type { Authenticator, Principal } from '../../contract/ports/authenticator.ts';
import type { Context, Next } from '../context.ts';
import { headerValues } from '../header-values.ts';
import type { RouteTable } from '../routing/table.ts';
import type { AuthFailures } from './auth-failures.ts';

/** The middleware that finds out who calls. Requests for public routes pass without a key. */
export class Authentication {
	readonly #authenticator: Authenticator;
	readonly #failures: AuthFailures;
	readonly #routes: RouteTable;

	constructor(authenticator: Authenticator, failures: AuthFailures, routes: RouteTable) {
		this.#authenticator = authenticator;
		this.#failures = failures;
		this.#routes = routes;
	}

	/** Throws what `authenticate` throws, and `E_RATE_LIMITED`. */
	async handle({ req, state }: Context, next: Next): Promise<unknown> {
		const { entry, exchange } = state;
		if (this.#routes.needsKey(req.method, entry.target.path)) {
			const authenticating = authenticate(req, this.#authenticator, entry.host);
			exchange.principal = await this.#failures.watch(req, authenticating);
		}
		return next();
	}
}

/**
 * Finds out who calls. The key comes as `Authorization: Bearer <key>`, as `x-api-key`, or in both, equal.
 * Throws `E_KEY_MISSING` without any, `E_KEY_INVALID` for an unknown key and for every header that is malformed,
 * doubled or contradicts the other. An authenticator that asks the host gets `host`, and rejects by itself.
 */
export async function authenticate(
	req: IncomingMessage,
	authenticator: Authenticator,
	host: readonly unknown[] = [req],
): Promise<Principal> {
	if (authenticator.identify) return authenticator.identify(...host);
	// Not req.headers: Node keeps the first of two Authorization headers there, and joins two x-api-key.
	const authorization = headerValues(req, 'authorization');
	const apiKey = headerValues(req, 'x-api-key');
	const keys = [...authorization.map(bearerToken), ...apiKey.map(plainKey)];
	const [key] = keys;
	if (key === undefined) {
		if (keys.length === 0) throw plinthError('E_KEY_MISSING');
		throw plinthError('E_KEY_INVALID');
	}
	const once = authorization.length <= 1 && apiKey.length <= 1;
	if (!once || keys.some((other) => other !== key)) throw plinthError('E_KEY_INVALID');
	const principal = await authenticator.authenticate(key);
	if (!principal) throw plinthError('E_KEY_INVALID');
	return principal;
}

// No comma: a proxy that joins doubled headers must not turn two keys into a third. No blanks, no tabs.
const keyPattern = /^[\x21-\x2b\x2d-\x7e]{1,512}$/;
const bearerPattern = /^Bearer +([^ ]+)$/i;

function bearerToken(header: string): string | undefined {
	return plainKey(bearerPattern.exec(header)?.[1] ?? '');
}

function plainKey(value: string): string | undefined {
	return keyPattern.test(value) ? value : undefined;
}
