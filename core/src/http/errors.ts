import { isPlinthError, type PlinthError, plinthError, toWireError } from '../errors.ts';
import type { Exchange } from './exchange.ts';
import { sendText } from './respond.ts';

/**
 * Answers a failure with the four-key body (wire.md §1.1). 5xx are logged here, once, with their stack; 4xx are the client's.
 * After the head it can only destroy the connection, so that the client does not take a part for the whole.
 */
export async function sendError(exchange: Exchange, thrown: unknown): Promise<void> {
	const { res, req, signal, log, route } = exchange;
	if (exchange.left) return;
	const error = codedError(signal.aborted ? signal.reason : thrown);
	if (error.spec.status >= 500) {
		const err = error.spec.code === null ? (error.cause ?? error) : error;
		log.error({ err, route, code: error.code }, 'request failed');
	}
	if (res.headersSent) {
		res.destroy();
		return;
	}
	const { status, headers, body } = toWireError(error);
	for (const name of res.getHeaderNames()) {
		if (name.startsWith('content-') || name === 'etag' || name === 'accept-ranges') {
			res.removeHeader(name);
		}
	}
	for (const [name, value] of Object.entries(headers)) res.setHeader(name, value);
	await sendText(exchange, status, 'application/json; charset=utf-8', JSON.stringify(body));
	if (req.method === 'HEAD') return;
}

/** The coded form of whatever was thrown. Errors of Koa's libraries that are meant for the client keep their meaning. */
export function codedError(error: unknown): PlinthError {
	if (isPlinthError(error)) return error;
	if (!isHttpError(error)) return plinthError('E_INTERNAL', { cause: error });
	if (error.status === 404) return plinthError('E_ROUTE_NOT_FOUND', { cause: error });
	if (error.status === 405) return plinthError('E_METHOD_NOT_ALLOWED', { cause: error });
	if (error.status === 413) return plinthError('E_BODY_TOO_LARGE', { cause: error });
	if (error.status === 415) return plinthError('E_MEDIA_TYPE_UNSUPPORTED', { cause: error });
	return plinthError('E_BODY_MALFORMED', { cause: error });
}

// http-errors marks what a client may read with `expose`; SDK errors of plugins have a status too, but not this.
function isHttpError(error: unknown): error is Error & { status: number } {
	if (!(error instanceof Error)) return false;
	const { status, expose } = error as { status?: unknown; expose?: unknown };
	return expose === true && typeof status === 'number' && status >= 400 && status < 500;
}
