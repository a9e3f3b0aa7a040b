/** Who calls. A tenant owns jobs, files and webhooks; a principal acts for it. */
export interface Principal {
	/** Stable and free of secrets: safe to log and to store. */
	readonly id: string;
	readonly tenant: string;
	/** `videos:read`, `videos:write`, `speech`, …; `*` is every scope. */
	readonly scopes: readonly string[];
}

/** Decides whose key this is. */
export interface Authenticator {
	/** Null: no such key, or it has expired or was revoked. Takes the same time either way. */
	authenticate(key: string): Promise<Principal | null>;
}
