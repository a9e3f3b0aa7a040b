/** What a store may offer beside its port, for the people who run it. */
export interface SelfCheck {
	/**
	 * Rejects when the store cannot be used. Cheap: readiness asks every two seconds. Without it a small read is
	 * tried.
	 */
	ping?(): Promise<void>;
	/**
	 * Looks through everything that is kept, which may take minutes. Sentences about what is damaged; none when all is
	 * well.
	 */
	check?(): Promise<readonly string[]>;
}
