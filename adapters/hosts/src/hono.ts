import type { App } from '@plinth/core';
import type { Context, MiddlewareHandler } from 'hono';
import type { Mounting } from './mounting.ts';

/**
 * Mounts an app in Hono: `hono.all('/ai/*', plinth(app, { prefix: '/ai' }))`. Hono leaves the path as it is, so the prefix has to be named. Paths that are not ours go on to
 * the next handler. What middleware sets on the answer afterwards, it has.
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
		if (isOurs) return answer;
	};
}

/** The request with its body, also when somebody has read JSON through the context: Hono keeps it then. */
async function readable({ req }: Context): Promise<Request> {
	const { raw } = req;
	if (!raw.bodyUsed || !/\bjson\b/i.test(req.header('content-type') ?? '')) return raw;
	try {
		const { method, headers, signal, url } = raw;
		return new Request(url, { method, headers, signal, body: await req.text() });
	} catch {
		// It was read past the context. The app says so, in its own form.
		return raw;
	}
}
