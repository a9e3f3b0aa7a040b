import { isPlinthError, type PlinthError, plinthError, toWireError } from '../contract/errors/coded-error.ts';
import { sendJson } from './answers/send.ts';
import type { Exchange } from './exchange.ts';
import { AllIssues } from './validation/issues.ts';

/**
 * Answers a failure with the four-key body. After the head it can only cut the connection, so that the client
 * does not take a part for the whole.
 */
export async function sendError(exchange: Exchange, thrown: unknown): Promise<void> {
	const { res } = exchange;
	if (exchange.left) return;
	const error = reportError(exchange, thrown);
	if (res.headersSent) {
		exchange.cut();
		return;
	}
	// Left by an answer that failed at one of its headers. Others, such as a host's CORS headers, stay.
	for (const name of res.getHeaderNames()) {
		if (replyHeaders.test(name)) res.removeHeader(name);
	}
	const { status, headers, body } = toWireError(error);
	await sendJson(exchange, status, body, headers);
}

/**
 * Finds the coded error that the client gets. 5xx are logged here, once, with their stack; refusals at level debug,
 * with all that was wrong. A refusal for want of room has no stack: a flood of them must not fill the log as well.
 */
export function reportError(exchange: Exchange, thrown: unknown): PlinthError {
	const { log, route = 'unmatched' } = exchange;
	// Whatever a handler makes of its aborted signal, the reason is the truth.
	const found = exchange.aborted ? exchange.reason : thrown;
	const error = isPlinthError(found) ? found : plinthError('E_INTERNAL', { cause: found });
	const { code, param, message, cause, spec } = error;
	exchange.refusal = error;
	// Stopping is no failure, however many clients hear of it.
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
