import { isPlinthError, type PlinthError, plinthError, toWireError } from '../contract/errors/coded-error.ts';
import { sendJson } from './answers/send.ts';
import type { Exchange } from './exchange.ts';
import { AllIssues } from './validation/issues.ts';

/**
 * Responds to a failure with the four-key body. If the head has been sent already, it closes the connection instead, so
 * that the client does not mistake a part of the response for the whole.
 */
export async function sendError(exchange: Exchange, thrown: unknown): Promise<void> {
	const { res } = exchange;
	if (exchange.hasDisconnected) return;
	const error = reportError(exchange, thrown);
	if (res.headersSent) {
		exchange.cut();
		return;
	}
	// These were set by a response that failed at one of its headers. Others, such as a host's CORS headers, stay.
	for (const name of res.getHeaderNames()) if (replyHeaders.test(name)) res.removeHeader(name);
	const { status, headers, body } = toWireError(error);
	await sendJson(exchange, status, body, headers);
}

/**
 * Returns the coded error for the client, and logs it: 5xx once, with their stack; refusals at level debug, with all
 * issues. `E_OVERLOADED` is logged without a stack, so that an overload does not also fill the log.
 */
export function reportError(exchange: Exchange, thrown: unknown): PlinthError {
	const { log, route = 'unmatched' } = exchange;
	// After an abort, its reason is the cause, whatever error the handler throws because of it.
	const failure = exchange.aborted ? exchange.reason : thrown;
	const error = isPlinthError(failure) ? failure : plinthError('E_INTERNAL', { cause: failure });
	const { code, param, message, cause, spec } = error;
	exchange.refusal = error;
	// `E_STOPPING` is expected during a stop, so it is not logged as a failure.
	if (code === 'E_OVERLOADED') log.warn({ route, code }, 'request refused');
	else if (spec.status >= 500 && code !== 'E_STOPPING') {
		const err = code === 'E_INTERNAL' ? (cause ?? error) : error;
		log.error({ err, route, code }, 'request failed');
	} else {
		const details = cause instanceof AllIssues ? cause.message : undefined;
		log.debug({ route, code, param, reason: message, details }, 'request refused');
	}
	return error;
}

const replyHeaders = /^(?:content-|etag$|accept-ranges$|location$|x-accel-)/;
