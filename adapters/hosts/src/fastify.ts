import type { App } from '@plinth/core';
import type { FastifyPluginAsync, FastifyReply, FastifyRequest } from 'fastify';

/**
 * Mounts an app in Fastify: `fastify.register(plinth(app), { prefix: '/ai' })`. In the plugin's own scope Fastify's
 * body parsers are taken out, so bodies flow to us whatever the host has registered; its `onRequest` and `preHandler`
 * hooks run before us. Paths that are not ours go to the host's handler of what is not found.
 */
export function plinth(app: App): FastifyPluginAsync {
	return async (fastify) => {
		const { prefix } = fastify;
		fastify.removeAllContentTypeParsers();
		fastify.addContentTypeParser('*', (_request, _payload, done) => done(null));
		fastify.all('/*', (request, reply) => answer(app, prefix, request, reply));
	};
}

function answer(app: App, prefix: string, request: FastifyRequest, reply: FastifyReply): void {
	const { raw } = reply;
	const carried = Object.entries(reply.getHeaders());
	const handle = app.callback({ prefix, host: [request] });
	let isOurs = true;
	// What hooks have set is otherwise lost: Fastify writes it only with its own answers.
	for (const [name, value] of carried) if (value !== undefined) raw.setHeader(name, value);
	handle(request.raw, raw, () => {
		isOurs = false;
		reply.callNotFound();
	});
	// Now, not before: what is hijacked cannot be handed back.
	if (isOurs) reply.hijack();
}
