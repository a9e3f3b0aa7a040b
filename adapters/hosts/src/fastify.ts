import type { App } from '@plinth/core';
import type { FastifyPluginAsync, FastifyReply, FastifyRequest } from 'fastify';

/**
 * Mounts an app in Fastify: `fastify.register(plinth(app), { prefix: '/ai' })`. Body parsers are removed in
 * the plugin's scope, so that bodies reach Plinth unparsed. The host's `onRequest` and `preHandler` hooks
 * run first. Paths that Plinth does not serve get the host's not-found handler.
 */
export function plinth(app: App): FastifyPluginAsync {
	return async (fastify) => {
		const { prefix } = fastify;
		fastify.removeAllContentTypeParsers();
		fastify.addContentTypeParser('*', (_request, _payload, done) => done(null));
		fastify.all('/*', (request, reply) => handle(app, prefix, request, reply));
	};
}

function handle(app: App, prefix: string, request: FastifyRequest, reply: FastifyReply): void {
	const { raw } = reply;
	const hookHeaders = Object.entries(reply.getHeaders());
	const handle = app.callback({ prefix, host: [request] });
	let isHandled = true;
	// Headers set by hooks: Fastify writes them only with its own responses.
	for (const [name, value] of hookHeaders) if (value !== undefined) raw.setHeader(name, value);
	handle(request.raw, raw, () => {
		isHandled = false;
		reply.callNotFound();
	});
	// After the callback: a hijacked reply cannot be returned to the host.
	if (isHandled) reply.hijack();
}
