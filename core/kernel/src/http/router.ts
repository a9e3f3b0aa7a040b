import type { IncomingMessage } from 'node:http';
import Router from '@koa/router';
import { invalidValue } from '../contract/errors/coded-error.ts';
import type { Route } from '../contract/http/route.ts';

/** What a method and a path lead to. */
export interface Match {
	/** Absent when the path exists but does not answer to the method. */
	readonly route: Route | undefined;
	/** The OpenAPI template of the path. */
	readonly template: string;
	/** Percent-encoded values of the path's parameters. */
	readonly captures: Readonly<Record<string, string>>;
	/** The methods that the path answers to. */
	readonly methods: readonly string[];
}

/**
 * Finds routes. A literal segment wins over a parameter whatever the order of registration, and the winning path decides the
 * methods: `GET /v1/videos/edits` is a 405 where only `POST /v1/videos/edits` exists, although `GET /v1/videos/{id}` would match.
 */
export class RouteTable {
	/** Only paths with parameters: most paths have none, and a map finds them at once. */
	readonly #router = new Router({ sensitive: true, strict: true });
	readonly #paths = new Map<string, PathEntry>();

	constructor(routes: readonly Route[]) {
		for (const route of routes.toSorted((a, b) => comparePaths(a.path, b.path))) this.#add(route);
	}

	/** Undefined when no route has this path. `HEAD` finds the route of `GET`. */
	match(method: string, path: string): Match | undefined {
		// Nothing is more literal than a path without parameters.
		const literal = this.#paths.get(path);
		if (literal && !literal.hasParameters) return answer(literal, method, noCaptures);
		// The layers stand in the order of registration, so the first one has the most literal path.
		const layer = this.#router.stack.find((each) => {
			// Most paths are told apart by how they begin, before any expression is run.
			const prefix = this.#paths.get(each.name ?? '')?.prefix ?? '';
			return path.startsWith(prefix) && each.match(path);
		});
		const entry = this.#paths.get(layer?.name ?? '');
		if (!layer || !entry) return undefined;
		const values = layer.captures(path);
		const captures = layer.paramNames.map(({ name }, i) => [String(name), values[i] ?? '']);
		return answer(entry, method, Object.fromEntries(captures));
	}

	#add(route: Route): void {
		const shape = pathShape(route.path);
		const entry = this.#paths.get(shape) ?? newEntry(route);
		if (entry.byMethod.has(route.method)) {
			throw new Error(`${route.method} ${route.path} is declared twice.`);
		}
		entry.byMethod.set(route.method, route);
		entry.methods.push(...(route.method === 'GET' ? ['GET', 'HEAD'] : [route.method]));
		if (entry.hasParameters && !this.#paths.has(shape)) {
			this.#router.register(routerPath(route.path), [route.method], noop, { name: shape });
		}
		this.#paths.set(shape, entry);
	}
}

/** All routes of one path. */
interface PathEntry {
	readonly template: string;
	/** What stands before the first parameter. */
	readonly prefix: string;
	readonly hasParameters: boolean;
	readonly byMethod: Map<string, Route>;
	readonly methods: string[];
}

const noCaptures: Match['captures'] = Object.freeze({});

function newEntry({ path }: Route): PathEntry {
	return {
		template: path,
		prefix: path.split('{', 1)[0] ?? '',
		hasParameters: pathShape(path) !== path,
		byMethod: new Map(),
		methods: [],
	};
}

function answer(entry: PathEntry, method: string, captures: Match['captures']): Match {
	const { template, methods, byMethod } = entry;
	return { route: byMethod.get(method === 'HEAD' ? 'GET' : method), template, captures, methods };
}

/** Two routes with the same key claim the same requests: the method and the path without its parameters' names. */
export function routeKey(route: Pick<Route, 'method' | 'path'>): string {
	return `${route.method} ${pathShape(route.path)}`;
}

/**
 * The path and the query of a request. Not Koa's, whose parser throws for some targets, and which forgets that a proxy may send
 * the absolute form of RFC 9112 §3.2.2.
 */
export function targetOf(req: Pick<IncomingMessage, 'url'>): {
	readonly path: string;
	readonly query: string;
} {
	const target = (req.url ?? '').replace(/^https?:\/\/[^/?#]*/i, '').replace(/#.*$/s, '');
	const mark = target.indexOf('?');
	if (mark === -1) return { path: target || '/', query: '' };
	return { path: target.slice(0, mark) || '/', query: target.slice(mark + 1) };
}

/** Decodes what the router captured. Throws `E_VALUE_INVALID` for malformed percent-encoding. */
export function decodeParams(captures: Readonly<Record<string, string>>): Record<string, string> {
	const params: Record<string, string> = Object.create(null);
	for (const [name, value] of Object.entries(captures)) {
		try {
			params[name] = decodeURIComponent(value);
		} catch {
			throw invalidValue(name, `${name}: the percent-encoding in the path is malformed.`);
		}
	}
	return params;
}

const parameter = /\{(\w+)\}/g;

function noop(): void {}

function pathShape(path: string): string {
	return path.replace(parameter, '{}');
}

function routerPath(path: string): string {
	return path
		.split(parameter)
		.map((part, i) => (i % 2 ? `:${part}` : part.replace(/[{}()[\]+?!:*\\]/g, '\\$&')))
		.join('');
}

function comparePaths(a: string, b: string): number {
	const [left, right] = [a.split('/'), b.split('/')];
	for (let i = 0; i < Math.max(left.length, right.length); i++) {
		const [x = '', y = ''] = [left[i], right[i]];
		if (x.includes('{') !== y.includes('{')) return x.includes('{') ? 1 : -1;
	}
	return 0;
}
