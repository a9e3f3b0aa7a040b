// A separate file: the public types must not import `@ai-sdk/provider-utils`, whose types some compilers refuse.

/** The address and the credentials of a Plinth server. */
export interface PlinthProviderSettings {
	/** The address of the API, `/v1` included: `https://media.example.com/v1`. */
	readonly baseURL: string;
	/** Sent as `Authorization: Bearer …`. */
	readonly apiKey?: string;
	/** Headers of every request. */
	readonly headers?: Readonly<Record<string, string>>;
	/** Sends the requests in place of the global `fetch`. */
	readonly fetch?: typeof globalThis.fetch;
}
