/** Optional checks of a store or a model, for operators. */
export interface SelfCheck {
	/** Rejects when the store cannot be used. Readiness calls it every two seconds, or without it tries a small read. */
	ping?(): Promise<void>;
	/** A store checks all its data, maybe for minutes; a model queries its server. Returns one sentence per problem. */
	check?(): Promise<readonly string[]>;
}
