/** Who calls. A tenant owns jobs, files and webhooks; a principal acts for it. */
export interface Principal {
	/** Stable and free of secrets: safe to log and to store. */
	readonly id: string;
	readonly tenant: string;
	/** `videos:read`, `videos:write`, `speech`, …; `*` is every scope. */
	readonly scopes: readonly string[];
}

/** Decides whose key this is, or whom the host has let in. */
export interface Authenticator {
	/** Null: no such key, or it has expired or was revoked. Takes the same time either way. */
	authenticate(key: string): Promise<Principal | null>;
	/**
	 * Where it stands, keys are not looked at: the host has found out who calls. It is called with what the mount
	 * passes on, mostly the host's own request, and with Node's request where there is no host. Rejects with a coded
	 * error of status 401 for a stranger.
	 */
	identify?(...host: readonly unknown[]): Promise<Principal>;
}
