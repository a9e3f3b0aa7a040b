import type KoaRouter from '@koa/router';
import type { RouterContext } from '@koa/router';
import { plinthError } from '../../contract/errors/coded-error.ts';
import { Reply } from '../../contract/http/reply.ts';
import type { Middleware, Route } from '../../contract/http/route.ts';
import { respond } from '../answers/respond.ts';
import type { Context, RequestState } from '../context.ts';
import { anonymous, checkScope } from '../gate/authentication.ts';
import { describeRoutes } from '../openapi/document.ts';
import { Router } from '../required.ts';
import { Endpoint } from './endpoint.ts';
import { probePaths, type SystemOptions, systemRoutes } from './system.ts';
import { unknownRoute } from './unknown-route.ts';

export interface RouteSources extends Omit<SystemOptions, 'openapi'> {
	/** The routes of plugins, each with the plugin's id: its tag in OpenAPI. */
	readonly owners: ReadonlyMap<Route, string>;
	/** Run around every route except the probes, which a quota, for example, must not refuse. */
	readonly middlewares: readonly Middleware[];
	/** Whether the process is a worker, which responds to probes only. */
	readonly isWorker: boolean;
	/** Whether members of bodies that a route does not know are errors. */
	readonly refusesUnknown: boolean;
}

interface PathEntry {
	readonly template: string;
	/** By method, `HEAD` included. */
	readonly endpoints: Map<string, Endpoint>;
}

/**
 * Every route of an app, those of the kernel included, dispatched with `@koa/router`. A literal segment wins over a
 * parameter in any order of registration, and the winning path decides the methods: `GET /v1/videos/edits` is a 405
 * where only `POST /v1/videos/edits` exists, although `GET /v1/videos/{id}` would match.
 */
export class RouteTable {
	readonly #router = new Router<RequestState>({ sensitive: true, strict: true });
	/** By the shape of the path, which is the name of its layers in the router. */
	readonly #paths = new Map<string, PathEntry>();
	readonly #owners: ReadonlyMap<Route, string>;
	readonly #isWorker: boolean;
	readonly #publicPaths: RegExp;
	#document: object | undefined;

	constructor({ owners, middlewares, isWorker, refusesUnknown, ...options }: RouteSources) {
		const system = systemRoutes({ ...options, openapi: (url) => this.describe(url) });
		const all = [...owners, ...system.map((route): [Route, string] => [route, 'system'])] as const;
		this.#owners = new Map(isWorker ? all.filter(([{ path }]) => probePaths.includes(path)) : all);
		const routes = [...this.#owners.keys()];
		this.#isWorker = isWorker;
		this.#publicPaths = pathsPattern(routes.filter(({ scope }) => scope === 'public'));
		routes.sort((a, b) => segmentKinds(a).localeCompare(segmentKinds(b)));
		const around = ({ path }: Route) => (probePaths.includes(path) ? [] : middlewares);
		for (const route of routes) this.#add(route, new Endpoint(route, around(route), refusesUnknown));
	}

	/** The OpenAPI 3.1 document for clients that reach the server at `url`. */
	describe(url: string): Record<string, unknown> {
		this.#document ??= describeRoutes(this.#owners);
		return { ...this.#document, servers: [{ url }] };
	}

	routes(): ReturnType<KoaRouter<RequestState>['routes']> {
		return this.#router.routes();
	}

	/** Responds to a request that no route handles: 404, 405 with `allow`, or the methods of the path for `OPTIONS`. */
	refuse({ req, state }: Context): Promise<void> {
		const pathEntry = this.find(state.entry.target.path);
		if (!pathEntry) {
			const templates = [...this.#paths.values()].map(({ template }) => template);
			const find = (path: string) => this.find(path)?.template;
			const message = this.#isWorker
				? `This process is a worker. It answers ${probePaths.join(' and ')} alone.`
				: unknownRoute(String(req.method), state.entry.target, templates, find);
			throw plinthError('E_ROUTE_NOT_FOUND', { message });
		}
		state.exchange.route = pathEntry.template;
		const allow = [...pathEntry.endpoints.keys(), 'OPTIONS'].join(', ');
		if (req.method === 'OPTIONS') return respond(state.exchange, Reply.empty(204, { allow }));
		throw plinthError('E_METHOD_NOT_ALLOWED', {
			message: `The route does not answer to ${req.method?.slice(0, 20)}, only to ${allow}.`,
			headers: { allow },
		});
	}

	find(path: string): PathEntry | undefined {
		return this.#paths.get(this.#router.match(path, 'GET').path[0]?.name ?? '');
	}

	/** Whether a request must have a key: for routes that are not public, and for other paths under `/v1` and `/api`. */
	needsKey(method = '', path: string): boolean {
		// Finding a route takes some microseconds, and most requests are for paths that no public route can have.
		if (isGuarded(path) && !this.#publicPaths.test(path)) return true;
		const route = this.find(path)?.endpoints.get(method)?.route;
		return route ? route.scope !== 'public' : isGuarded(path);
	}

	/** Whether a path belongs to the app and not to its host. */
	handles(path: string): boolean {
		return isGuarded(path) || this.find(path) !== undefined;
	}

	#add({ method, path }: Route, endpoint: Endpoint): void {
		const shape = pathShape(path);
		const known = this.#paths.get(shape);
		const entry = known ?? { template: path, endpoints: new Map() };
		if (entry.endpoints.has(method)) throw new Error(`${method} ${path} is declared twice.`);
		entry.endpoints.set(method, endpoint);
		if (method === 'GET') entry.endpoints.set('HEAD', endpoint);
		if (known) return;
		this.#paths.set(shape, entry);
		const answer = async (ctx: Context & Pick<RouterContext, 'captures'>) => {
			const chosen = entry.endpoints.get(ctx.req.method ?? '');
			if (!chosen) return this.refuse(ctx);
			const { exchange } = ctx.state;
			exchange.route = entry.template;
			checkScope(exchange.principal ?? anonymous, chosen.route.scope, exchange.isFromHost);
			await respond(exchange, await chosen.run(ctx, ctx.captures ?? []));
		};
		// All methods, because @koa/router would otherwise continue with a less literal path that has the method.
		this.#router.all(shape, routerPath(path), (ctx) => answer(ctx as never));
	}
}

/** Whether a path is below `/v1` or `/api`, where unknown paths need a key too. */
function isGuarded(path: string): boolean {
	return /^\/(?:v1|api)(?:\/|$)/.test(path);
}

/** The method and the path without its parameters' names. Two routes with the same key match the same requests. */
export function routeKey({ method, path }: Pick<Route, 'method' | 'path'>): string {
	return `${method} ${pathShape(path)}`;
}

const parameter = /\{(\w+)\}/g;

function pathShape(path: string): string {
	return path.replace(parameter, '{}');
}

function pathsPattern(routes: readonly Route[]): RegExp {
	const escaped = routes.map(({ path }) => path.replace(/[.*+?^$()|[\]\\]/g, '\\$&').replace(/\{\w+\}/g, '[^/]*'));
	return new RegExp(`^(?:${escaped.join('|')})$`);
}

function routerPath(path: string): string {
	return path
		.split(parameter)
		.map((part, i) => (i % 2 ? `:${part}` : part.replace(/[{}()[\]+?!:*\\]/g, '\\$&')))
		.join('');
}

/** Sorts literal segments before those with a parameter, and a parameter alone last. */
function segmentKinds({ path }: Route): string {
	return path.replace(/[^/]+/g, (segment) => (/^\{\w+\}$/.test(segment) ? '2' : segment.includes('{') ? '1' : '0'));
}
