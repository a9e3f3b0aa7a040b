/** One row of an error table: how a coded error looks on the wire and what cures it. */
export interface ErrorSpec {
	/** HTTP status. */
	readonly status: number;
	/** `error.code` on the wire; null where the wire has none. */
	readonly code: string | null;
	/** `error.type` on the wire. */
	readonly type:
		| 'invalid_request_error'
		| 'image_generation_user_error'
		| 'requests'
		| 'insufficient_quota'
		| 'server_error';
	/** The sentence shown when the thrower gives none. */
	readonly message: string;
	/** What the reader can do about it; appended to the message. */
	readonly remedy?: string;
	/** Extra response headers, for example `x-should-retry`. */
	readonly headers?: Readonly<Record<string, string>>;
}

/** Declares the errors of a plugin in the form of the kernel's own table. */
export function defineErrors<const T extends Record<`E_${string}`, ErrorSpec>>(table: T): T {
	return table;
}
