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
	/** Called once, when an app has booted whose requests it authenticates. */
	booted?(): void;
	/**
	 * Replaces the check of keys where the host knows who calls. It is called with `host` of the mount, or with Node's
	 * request. Rejects with a coded error of status 401 for an unknown caller.
	 */
	identify?(...host: readonly unknown[]): Promise<Principal>;
}
