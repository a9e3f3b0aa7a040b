import { isPlinthError, type PlinthError, plinthError, toWireError } from '../contract/errors/coded-error.ts';
import { sendJson } from './answers/send.ts';
import type { Exchange } from './exchange.ts';

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
 * Finds the coded error that the client gets. 5xx are logged here, once, with their stack; 4xx are the client's own.
 * A refusal for want of room is a line without a stack: a flood of them must not fill the log as well.
 */
export function reportError(exchange: Exchange, thrown: unknown): PlinthError {
	const { log, route = 'unmatched' } = exchange;
	// Whatever a handler makes of its aborted signal, the reason is the truth.
	const error = codedError(exchange.aborted ? exchange.reason : thrown);
	// Stopping is no failure, however many clients hear of it.
	if (error.code === 'E_OVERLOADED') log.warn({ route, code: error.code }, 'request refused');
	else if (error.spec.status >= 500 && error.code !== 'E_STOPPING') {
		const err = error.code === 'E_INTERNAL' ? (error.cause ?? error) : error;
		log.error({ err, route, code: error.code }, 'request failed');
	}
	return error;
}

/** The coded form of what was thrown. Errors of Koa's libraries that are meant for the client keep their meaning. */
function codedError(error: unknown): PlinthError {
	if (isPlinthError(error)) return error;
	if (!isHttpError(error)) return plinthError('E_INTERNAL', { cause: error });
	if (error.status === 404) return plinthError('E_ROUTE_NOT_FOUND', { cause: error });
	if (error.status === 405) return plinthError('E_METHOD_NOT_ALLOWED', { cause: error });
	if (error.status === 413) return plinthError('E_BODY_TOO_LARGE', { cause: error });
	if (error.status === 415) return plinthError('E_MEDIA_TYPE_UNSUPPORTED', { cause: error });
	return plinthError('E_BODY_MALFORMED', { cause: error });
}

const replyHeaders = /^(?:content-|etag$|accept-ranges$|location$|x-accel-)/;

// http-errors marks what a client may read with `expose`; SDK errors of plugins have a status too, but not this.
function isHttpError(error: unknown): error is Error & { status: number } {
	if (!(error instanceof Error)) return false;
	const { status, expose } = error as { status?: unknown; expose?: unknown };
	return expose === true && typeof status === 'number' && status >= 400 && status < 500;
}
