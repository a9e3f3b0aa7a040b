import { combineHeaders, createJsonErrorResponseHandler, withoutTrailingSlash } from '@ai-sdk/provider-utils';
import { z } from 'zod';
import type { PlinthProviderSettings } from './settings.ts';

/** The name of the provider. It is also the key of the options in `providerOptions`. */
export const providerName = 'plinth';

/** Headers of one call. */
export type CallHeaders = Record<string, string | undefined> | undefined;

/** The common settings of all requests to a server. */
export class Connection {
	readonly #settings: PlinthProviderSettings;

	constructor(settings: PlinthProviderSettings) {
		this.#settings = settings;
	}

	/** The common arguments of a request, for the functions of `@ai-sdk/provider-utils`. */
	to(path: string, headers: CallHeaders, abortSignal: AbortSignal | undefined) {
		const { apiKey, fetch, baseURL } = this.#settings;
		const credentials = apiKey ? { authorization: `Bearer ${apiKey}` } : {};
		return {
			url: `${withoutTrailingSlash(baseURL)}${path}`,
			headers: combineHeaders(credentials, this.#settings.headers, headers),
			failedResponseHandler,
			...(abortSignal ? { abortSignal } : {}),
			...(fetch ? { fetch } : {}),
		};
	}
}

const failedResponseHandler = createJsonErrorResponseHandler({
	errorSchema: z.object({ error: z.object({ message: z.string(), code: z.string().nullish() }) }),
	errorToMessage: ({ error }) => error.message,
});

/** The options under `providerOptions.plinth`: members of the request as the server names them. */
export function optionsOf(providerOptions: Readonly<Record<string, object>> | undefined): Record<string, unknown> {
	return { ...providerOptions?.[providerName] };
}

/** The member `response` of a result. */
export function responseOf(modelId: string, headers: Record<string, string> | undefined) {
	return { timestamp: new Date(), modelId, headers };
}
