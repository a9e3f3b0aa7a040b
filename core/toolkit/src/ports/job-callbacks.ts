/** Sends a request to the `callback_url` of a job when it ends. Absent when no plugin sends such requests. */
export interface JobCallbacks {
	/**
	 * Validates a callback before its job is created: the address (https and public, unless the operator
	 * allows more), and the secret (`whsec_` and base64 of 24 to 64 bytes). Rejects with 400 errors that name
	 * the parameters `callback_url` and `callback_secret`.
	 */
	check(callback: { readonly url: string; readonly secret: string | null }): Promise<void>;
}
