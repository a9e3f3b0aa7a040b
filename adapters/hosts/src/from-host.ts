import {
	type Authenticator,
	type BackendInstance,
	defineBackend,
	errorFrom,
	type Principal,
	services,
} from '@plinth/core';
import { z } from 'zod';
import { hostErrors } from './errors.ts';

/**
 * Identifies the caller of a request by the host's own objects: the request of Express, Node and Fastify, the context
 * of Koa and Hono, or a fetch request and its context. Returns nothing for an unknown caller, who gets 401.
 */
export type Identify<H extends readonly unknown[]> = (
	...host: H
) => Principal | null | undefined | Promise<Principal | null | undefined>;

const name = z.string().min(1).max(256);

const principal = z.object({ id: name, tenant: name, scopes: z.array(z.string()) });

const backend = defineBackend({
	name: 'fromHost',
	provides: services.authenticator,
	config: z.strictObject({
		/** Identifies the caller of a request. A function, so not available in YAML. */
		identify: z.custom<Identify<readonly unknown[]>>(
			(value) => typeof value === 'function',
			'must be a function of the host that returns a principal',
		),
	}),
	create: ({ config: { identify } }) => hostAuthenticator(identify),
});

/**
 * An authenticator that uses the host's identification in place of API keys, which are then ignored. An
 * error of `identify` becomes a 500 response.
 */
export const fromHost = Object.assign(
	<const H extends readonly unknown[]>(identify: Identify<H>): BackendInstance =>
		backend({ identify: identify as unknown as Identify<readonly unknown[]> }),
	{ $kind: backend.$kind, definition: backend.definition },
);

function hostAuthenticator(identify: Identify<readonly unknown[]>): Authenticator {
	return {
		authenticate: () => Promise.resolve(null),
		async identify(...host) {
			const result = await identify(...host);
			if (result === undefined || result === null) throw errorFrom(hostErrors, 'E_HOST_STRANGER');
			const { data, error } = principal.safeParse(result);
			if (!data) throw errorFrom(hostErrors, 'E_HOST_PRINCIPAL', { cause: error });
			return data;
		},
	};
}
