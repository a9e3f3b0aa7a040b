// A file of its own, so that the public types need none of `@ai-sdk/provider-utils`, which not every compiler accepts.

/** How a Plinth server is reached. */
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
