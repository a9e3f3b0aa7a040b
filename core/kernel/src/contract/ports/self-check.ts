/** What a store may offer beside its port, for the people who run it. */
export interface SelfCheck {
	/** Rejects when the store cannot be used. Called every two seconds by readiness, which else tries a small read. */
	ping?(): Promise<void>;
	/** Checks everything that is kept, which may take minutes. One sentence for each damage. */
	check?(): Promise<readonly string[]>;
}
