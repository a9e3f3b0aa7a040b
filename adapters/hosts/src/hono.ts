import type { IncomingMessage } from 'node:http';
import type { App } from '@plinth/core';
import type { Context, MiddlewareHandler } from 'hono';
import type { Mounting } from './mounting.ts';

/**
 * Mounts an app in Hono: `hono.all('/ai/*', plinth(app, { prefix: '/ai' }))`. Hono leaves the path as it is, so the
 * prefix has to be named. Paths that are not ours go on to the next handler. What middleware sets on the answer
 * afterwards, it has.
 */
export function plinth(app: App, mounting: Mounting = {}): MiddlewareHandler {
	return async (context, next) => {
		let isOurs = true;
		const pass = async () => {
			isOurs = false;
			await next();
			return context.res;
		};
		const request = await readable(context);
		const answer = await app.fetch(request, { ...mounting, host: [context] }, pass);
		if (!isOurs) return;
		if (isUnread(context)) answer.headers.set('connection', 'close');
		return answer;
	};
}

/**
 * Whether a part of the body is left on a connection of Node. It cannot carry another request then, and clients
 * should know.
 */
function isUnread({ env }: Context): boolean {
	const { incoming } = (env ?? {}) as { readonly incoming?: Partial<IncomingMessage> };
	if (incoming?.httpVersionMajor !== 1 || incoming.readableEnded) return false;
	const { 'content-length': length = '0', 'transfer-encoding': coding } = incoming.headers ?? {};
	return length !== '0' || coding !== undefined;
}

/** The request with its body, also when somebody has read JSON through the context: Hono keeps it then. */
async function readable({ req }: Context): Promise<Request> {
	const { raw } = req;
	if (!raw.bodyUsed || !/\bjson\b/i.test(req.header('content-type') ?? '')) return raw;
	try {
		const { method, signal, url } = raw;
		const body = Buffer.from(await req.text());
		const headers = new Headers(raw.headers);
		// What Hono tells again may have another length.
		headers.set('content-length', String(body.length));
		return new Request(url, { method, headers, signal, body });
	} catch {
		// It was read past the context. The app says so, in its own form.
		return raw;
	}
}
