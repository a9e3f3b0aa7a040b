import { type ForwardRequest, plinthError, type RawBody } from '@plinth/core';
import type { Upstream } from './client.ts';
import { wasNotSent } from './connection.ts';
import { connectionError, invalidResponse, timeoutError } from './failure.ts';
import type { ReportedError } from './reported-error.ts';

/** The target of requests that pass through, and the rules for the responses. */
export interface PassthroughOptions extends Pick<ForwardRequest, 'sendable' | 'usage'> {
	/** The path below the base URL: `/chat/completions`. */
	readonly path: string;
	/** The `accept` header, unless the config sets one. */
	readonly accept: string;
	/** The accepted media types of responses, in lower case. */
	readonly types: ReadonlySet<string>;
	/** Whether a response must state its length. A WAV header is wrong when the file is streamed while it is made. */
	readonly needsLength?: boolean;
	/** Parameters of the client that an error may name. */
	readonly params: ReadonlySet<string>;
	/** Whether each request costs money. It is not repeated when the first one may have arrived. */
	readonly isCostly?: boolean;
	/** Whether a reported error means that the server does not support such requests. They are then translated. */
	readonly isUnable?: (reported: ReportedError) => boolean;
}

/** Creates the request for one body, with the server's name of the model and with one member renamed. */
export type Passthrough = (
	raw: RawBody,
	model: string,
	renamed?: readonly [from: string, to: string],
) => ForwardRequest;

/** Creates requests that pass the bodies of clients to a server unchanged. */
export function passthroughTo(upstream: Upstream, options: PassthroughOptions): Passthrough {
	const { accept, types, needsLength = false, params, isCostly = false, isUnable } = options;
	const { origin, pathname: path } = upstream.addressOf(options.path);
	const where = `${upstream.host}${path}`;
	const common = {
		dispatcher: upstream.connection.dispatcher,
		origin,
		path,
		headers: upstream.connection.headerList(accept),
		quietMs: upstream.quietMs,
		accepts: (type: string, length?: number) => types.has(type) && !(needsLength && length === undefined),
		silent: () => timeoutError(where),
		...(options.sendable ? { sendable: options.sendable } : {}),
		...(options.usage ? { usage: options.usage } : {}),
	};
	return (raw, model, renamed) => {
		let mayRepeat = true;
		const failed = (mayHaveArrived: boolean) => {
			mayRepeat = upstream.retries > 0 && !(isCostly && mayHaveArrived);
		};
		return {
			...common,
			body: raw.withModel(model, renamed),
			refused(status, headers, body) {
				const refusal = { where, status, headers, body: body.toString(), params };
				const { reported, error } = upstream.readRefusal(refusal);
				if (isUnable?.(reported)) return plinthError('E_MODEL_FAILED', { cause: error.cause });
				failed(status !== 429 && status !== 503);
				return error;
			},
			lost(cause) {
				failed(!wasNotSent(cause));
				return connectionError(where, cause);
			},
			unfit(type) {
				mayRepeat = !isCostly;
				return invalidResponse(where, `sent "${type.slice(0, 100)}" in place of what was asked for`);
			},
			mayRepeat: () => mayRepeat,
		};
	};
}
