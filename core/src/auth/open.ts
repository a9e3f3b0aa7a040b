import type { Authenticator } from '../ports/authenticator.ts';

/** Stands in when `server.auth` is `off`: every key, and none, is the one principal. */
export const openAuthenticator: Authenticator & { readonly open: true } = {
	open: true,
	authenticate: async () => ({ id: 'anonymous', tenant: 'default', scopes: ['*'] }),
};
