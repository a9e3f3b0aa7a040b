import type { IncomingMessage } from 'node:http';
import type { App } from '@plinth/core';
import type { Context, MiddlewareHandler } from 'hono';
import type { MountOptions } from './mounting.ts';

/**
 * Mounts an app in Hono: `hono.all('/ai/*', plinth(app, { prefix: '/ai' }))`. Hono keeps the path, so the prefix is
 * required. Paths that Plinth does not serve are passed on to the next handler. Middleware may modify the response.
 */
export function plinth(app: App, options: MountOptions = {}): MiddlewareHandler {
	return async (context, next) => {
		let isHandled = true;
		const callNext = async () => {
			isHandled = false;
			await next();
			return context.res;
		};
		const request = await requestWithBody(context);
		const response = await app.fetch(request, { ...options, host: [context] }, callNext);
		if (!isHandled) return;
		if (isUnread(context)) response.headers.set('connection', 'close');
		return response;
	};
}

/** Whether part of the request body is unread on a Node connection, which then cannot serve another request. */
function isUnread({ env }: Context): boolean {
	const { incoming } = (env ?? {}) as { readonly incoming?: Partial<IncomingMessage> };
	if (incoming?.httpVersionMajor !== 1 || incoming.readableEnded) return false;
	const { 'content-length': length = '0', 'transfer-encoding': coding } = incoming.headers ?? {};
	return length !== '0' || coding !== undefined;
}

/** The request with its body, also if other code has read it as JSON through the context, where Hono caches it. */
async function requestWithBody({ req }: Context): Promise<Request> {
	const { raw } = req;
	if (!raw.bodyUsed || !/\bjson\b/i.test(req.header('content-type') ?? '')) return raw;
	try {
		const { method, signal, url } = raw;
		const body = Buffer.from(await req.text());
		const headers = new Headers(raw.headers);
		// Hono's copy may have another length.
		headers.set('content-length', String(body.length));
		return new Request(url, { method, headers, signal, body });
	} catch {
		// It was read without the context. The app reports this as an error.
		return raw;
	}
}
