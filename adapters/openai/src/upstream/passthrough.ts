import { type ForwardRequest, plinthError, type RawBody } from '@plinth/core';
import type { Upstream } from './client.ts';
import type { Complaint } from './complaint.ts';
import { neverArrived } from './connection.ts';
import { brokenAnswer, lossFailure, silenceFailure } from './failure.ts';

/** Where requests pass through to, and what is done with the responses. */
export interface PassthroughOptions extends Pick<ForwardRequest, 'sendable' | 'usage'> {
	/** Below the base URL: `/chat/completions`. */
	readonly path: string;
	/** The header `accept`, unless the config has one. */
	readonly accept: string;
	/** The media types of responses that a client understands, in lower case. */
	readonly types: ReadonlySet<string>;
	/** Whether a response must state its length: a file that is sent while it is made does not know its own. */
	readonly needsLength?: boolean;
	/** Names of the client's parameters that a refusal may name. */
	readonly params: ReadonlySet<string>;
	/** A second request would be paid again: it is not sent while the first one may have arrived. */
	readonly isCostly?: boolean;
	/** Whether a complaint about a good request says that the server does not do this at all: then it is translated. */
	readonly isUnable?: (complaint: Complaint) => boolean;
}

/** Makes the request for one body, with the server's name of the model and with one member renamed. */
export type Passthrough = (
	raw: RawBody,
	model: string,
	renamed?: readonly [from: string, to: string],
) => ForwardRequest;

/** Passes requests to a server as clients have written them. */
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
		silent: () => silenceFailure(where),
		...(options.sendable ? { sendable: options.sendable } : {}),
		...(options.usage ? { usage: options.usage } : {}),
	};
	return (raw, model, renamed) => {
		let mayRepeat = true;
		const failed = (isUnsure: boolean) => {
			mayRepeat = upstream.retries > 0 && !(isCostly && isUnsure);
		};
		return {
			...common,
			body: raw.withModel(model, renamed),
			refused(status, headers, body) {
				const refusal = { where, status, headers, body: body.toString(), params };
				const { complaint, error } = upstream.readRefusal(refusal);
				if (isUnable?.(complaint)) return plinthError('E_MODEL_FAILED', { cause: error.cause });
				failed(status !== 429 && status !== 503);
				return error;
			},
			lost(cause) {
				failed(!neverArrived(cause));
				return lossFailure(where, cause);
			},
			unfit(type) {
				mayRepeat = !isCostly;
				return brokenAnswer(where, `sent "${type.slice(0, 100)}" in place of what was asked for`);
			},
			mayRepeat: () => mayRepeat,
		};
	};
}
