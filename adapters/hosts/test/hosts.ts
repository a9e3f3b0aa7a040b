import { createServer, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { serve } from '@hono/node-server';
import type { App } from '@plinth/core';
import { plinth as express_ } from '@plinth/hosts/express';
import { plinth as fastify_ } from '@plinth/hosts/fastify';
import { plinth as fetch_ } from '@plinth/hosts/fetch';
import { plinth as hono_ } from '@plinth/hosts/hono';
import { plinth as koa_ } from '@plinth/hosts/koa';
import { plinth as node_ } from '@plinth/hosts/node';
import express from 'express';
import Fastify from 'fastify';
import { Hono } from 'hono';
import Koa from 'koa';
import { koaBody } from 'koa-body';

/** Options of a test host. */
export interface HostOptions {
	/** Puts body parsers for JSON and forms in front of the mounted app. */
	readonly parsers?: boolean;
	/** The signed-in users, by the value of the header `x-session`, which replaces a session cookie. */
	readonly sessions?: Readonly<Record<string, unknown>>;
}

/** A host with an app mounted at `/ai`, and pages of its own at `/v1/own` and `/ai/own`. */
export interface RunningHost {
	/** The base URL of the app, without a trailing slash. */
	readonly url: string;
	/** Sends a request to the host. */
	readonly fetch: (request: Request) => Promise<Response>;
	/** Stops listening; resolves when all connections are closed. Undefined if the host does not listen. */
	readonly close?: () => Promise<void>;
}

/** Starts a host. */
export type StartHost = (app: App, options?: HostOptions) => Promise<RunningHost>;

/** The body of the host's own pages. */
export const ownPage = 'the host';

const ownPaths = ['/v1/own', '/ai/own'];
const prefix = '/ai';

/** All hosts, by their name in the guide. */
export const hosts: Readonly<Record<string, StartHost>> = {
	'Express 5': (app, { parsers, sessions = {} } = {}) => {
		const server = express();
		server.use((req, _res, next) => {
			Object.assign(req, { user: sessions[String(req.headers['x-session'])] });
			next();
		});
		if (parsers) server.use(express.json(), consumeForms);
		server.use(prefix, express_(app));
		for (const path of ownPaths) server.get(path, (_req, res) => void res.send(ownPage));
		return listening(createServer(server));
	},
	'Fastify 5': async (app, { parsers, sessions = {} } = {}) => {
		const server = Fastify();
		server.decorateRequest('user', null);
		server.addHook('onRequest', async (request) => {
			Object.assign(request, { user: sessions[String(request.headers['x-session'])] });
		});
		if (parsers) {
			server.addContentTypeParser('multipart/form-data', (_request, payload, done) => {
				payload.resume().on('end', () => done(null));
			});
		}
		server.register(fastify_(app), { prefix });
		for (const path of ownPaths) server.get(path, async () => ownPage);
		const url = await server.listen({ host: '127.0.0.1', port: 0 });
		return { url: `${url}${prefix}`, fetch: fetch, close: () => server.close() };
	},
	'Koa 3': (app, { parsers, sessions = {} } = {}) => {
		const server = new Koa();
		server.silent = true;
		server.use(async (ctx, next) => {
			ctx.state.user = sessions[ctx.get('x-session')];
			await next();
		});
		if (parsers) server.use(koaBody({ multipart: true }));
		server.use(koa_(app, { prefix }));
		server.use((ctx) => {
			if (ownPaths.includes(ctx.path)) ctx.body = ownPage;
		});
		return listening(createServer(server.callback()));
	},
	'Hono on Node': async (app, { parsers, sessions = {} } = {}) => {
		const server = new Hono<{ Variables: { user: unknown } }>();
		server.use(async (c, next) => {
			c.set('user', sessions[c.req.header('x-session') ?? '']);
			if (parsers) {
				await (c.req.header('content-type')?.includes('json') ? c.req.json() : c.req.parseBody());
			}
			await next();
		});
		server.all('/ai/*', hono_(app, { prefix }));
		for (const path of ownPaths) server.get(path, (c) => c.text(ownPage));
		return listening(
			serve({
				fetch: server.fetch,
				port: 0,
				hostname: '127.0.0.1',
				// Other tests of this process need Node's own Response.
				overrideGlobalObjects: false,
			}) as Server,
		);
	},
	'node:http': (app, { parsers, sessions = {} } = {}) => {
		const mounted = node_(app, {
			prefix,
			next: (req, res) => {
				const isOwn = ownPaths.includes(req.url ?? '');
				res.writeHead(isOwn ? 200 : 404).end(isOwn ? ownPage : '');
			},
		});
		const server = createServer(async (req, res) => {
			Object.assign(req, { user: sessions[String(req.headers['x-session'])] });
			if (parsers) await parse(req);
			mounted(req, res);
		});
		return listening(server);
	},
	fetch: async (app, { parsers, sessions = {} } = {}) => {
		const next = (request: Request) => {
			const isOwn = ownPaths.includes(new URL(request.url).pathname);
			return new Response(isOwn ? ownPage : '', { status: isOwn ? 200 : 404 });
		};
		const handle = fetch_<[{ user: unknown }]>(app, { prefix, next });
		const door = async (request: Request) => {
			if (parsers) await request.text();
			return handle(request, { user: sessions[request.headers.get('x-session') ?? ''] });
		};
		return { url: `http://host.test${prefix}`, fetch: door };
	},
};

/**
 * The parsed bodies that the app accepts when the host has parsers: `JSON`, and `a form` if the host does not parse
 * forms.
 */
export const passesParsed: Readonly<Record<string, readonly string[]>> = {
	'Express 5': ['JSON'],
	'Fastify 5': ['JSON', 'a form'],
	'Koa 3': ['JSON'],
	'Hono on Node': ['JSON'],
	'node:http': ['JSON'],
	fetch: [],
};

async function listening(server: Server): Promise<RunningHost> {
	if (!server.listening) server.listen(0, '127.0.0.1');
	if (!server.listening) await new Promise((resolve) => server.once('listening', resolve));
	const { port } = server.address() as AddressInfo;
	const close = () =>
		new Promise<void>((resolve) => {
			server.close(() => resolve());
		});
	return { url: `http://127.0.0.1:${port}${prefix}`, fetch: fetch, close };
}

/** Consumes multipart bodies, as an upload middleware does. */
function consumeForms(req: IncomingMessage, _res: unknown, next: () => void): void {
	if (!req.headers['content-type']?.startsWith('multipart/')) next();
	else req.resume().on('end', next);
}

async function parse(req: IncomingMessage): Promise<void> {
	const text = Buffer.concat(await req.toArray()).toString();
	if (req.headers['content-type'] === 'application/json') {
		Object.assign(req, { body: JSON.parse(text) });
	}
}
