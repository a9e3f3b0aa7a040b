/** An authenticated caller. A tenant owns jobs, files and webhooks; a principal acts for it. */
export interface Principal {
	/** Stable and free of secrets: safe to log and to store. */
	readonly id: string;
	readonly tenant: string;
	/** `videos:read`, `videos:write`, `speech`, …; `*` is every scope. */
	readonly scopes: readonly string[];
}

/** Identifies a caller by an API key, or by the host's own authentication. */
export interface Authenticator {
	/** Null: the key is unknown, expired or revoked. The time is the same in each case. */
	authenticate(key: string): Promise<Principal | null>;
	/** Called once, after the boot of an app that uses this authenticator. */
	booted?(): void;
	/**
	 * Replaces the check of keys if the host authenticates callers. It is called with `host` of the mount, or with Node's
	 * request. Rejects with a coded error of status 401 for an unknown caller.
	 */
	identify?(...host: readonly unknown[]): Promise<Principal>;
}
