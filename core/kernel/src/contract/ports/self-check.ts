/** What a store or a model may offer beside its interface, for the people who run it. */
export interface SelfCheck {
	/** Rejects when the store cannot be used. Called every two seconds by readiness, which else tries a small read. */
	ping?(): Promise<void>;
	/**
	 * A store checks everything that is kept, which may take minutes; a model asks its server. One sentence for each
	 * damage or mistake.
	 */
	check?(): Promise<readonly string[]>;
}
