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
 * Tells who sent a request of the host: Express's and Node's request, Fastify's request, the context of Koa and of
 * Hono, or a fetch request and what its handler got beside it. Nothing for a stranger, who reads 401.
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
		/** Tells who sent a request of the host. A function, so not for configs in YAML. */
		identify: z.custom<Identify<readonly unknown[]>>(
			(value) => typeof value === 'function',
			'must be a function of the host that returns a principal',
		),
	}),
	create: ({ config: { identify } }) => hostAuthenticator(identify),
});

/**
 * An authenticator that takes the host's word for who calls, in place of API keys, which nobody looks at then. What
 * `identify` throws is answered 500, and nobody is let in.
 */
export const fromHost = Object.assign(
	<const H extends readonly unknown[]>(identify: Identify<H>): BackendInstance =>
		backend({ identify: identify as unknown as Identify<readonly unknown[]> }),
	{ $kind: backend.$kind, definition: backend.definition },
);

function hostAuthenticator(ask: Identify<readonly unknown[]>): Authenticator {
	return {
		authenticate: () => Promise.resolve(null),
		async identify(...host) {
			const answer = await ask(...host);
			if (answer === undefined || answer === null) throw errorFrom(hostErrors, 'E_HOST_STRANGER');
			const { data, error } = principal.safeParse(answer);
			if (!data) throw errorFrom(hostErrors, 'E_HOST_PRINCIPAL', { cause: error });
			return data;
		},
	};
}
