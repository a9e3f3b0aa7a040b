import type { z } from 'zod';
import type { Route } from '../../contract/http/route.ts';
import { systemPaths } from '../../http/routing/system.ts';
import { routeKey } from '../../http/routing/table.ts';
import { type BootProblem, bootProblem } from './problem.ts';

const methods = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'];
const required = ['method', 'path', 'handler', 'response', 'summary', 'errors'] as const;

/** The routes of all plugins with their owners. Invalid and duplicate routes are listed for one report. */
export class PluginRoutes {
	readonly owners = new Map<Route, string>();
	readonly problems: BootProblem[] = [];
	#isFrozen = false;
	readonly #ownerByKey = new Map(systemPaths.map((path) => [routeKey({ method: 'GET', path }), 'the kernel']));

	/** Adds the routes of one plugin, with its default model. Throws once the routes are frozen. */
	add(plugin: string, routes: readonly Route[], defaultModel?: string): void {
		if (this.#isFrozen) throw new Error(`plugin ${plugin} registers a route after its setup.`);
		for (const route of routes) {
			this.owners.set(defaultModel ? withDefaultModel(route, defaultModel) : route, plugin);
			this.#check(plugin, route);
		}
	}

	freeze(): void {
		this.#isFrozen = true;
	}

	#check(plugin: string, route: Route): void {
		const owner = `plugin ${plugin}`;
		const name = [route.method, route.path].filter(Boolean).join(' ') || 'a route';
		const report = (code: BootProblem['code'], message: string, remedy?: string) => {
			const sentence = `registers ${name}${message}`;
			this.problems.push(bootProblem(code, { owner, path: `plugins.${plugin}` }, sentence, remedy));
		};
		const missing = required.filter((key) => !route[key]).join(', ');
		if (missing !== '') report('E_DEFINITION', ` without ${missing}.`, `Pass ${missing} to defineRoute.`);
		if (typeof route.scope !== 'string' || route.scope === '') report('E_ROUTE_SCOPE', ' without a scope.');
		if (missing !== '') return;
		if (!methods.includes(route.method)) {
			const upper = String(route.method).toUpperCase();
			const remedy = methods.includes(upper) ? `Write method: '${upper}'.` : 'Write one of them.';
			report('E_DEFINITION', `: a method is one of ${methods.join(', ')}.`, remedy);
			return;
		}
		const key = routeKey(route);
		const other = this.#ownerByKey.get(key);
		if (other !== undefined) report('E_ROUTE_DUPLICATE', `, which ${other} has registered.`);
		this.#ownerByKey.set(key, owner);

		const named = [...route.path.matchAll(/\{([^}]+)\}/g)].map(([, name]) => name ?? '');
		const declared = Object.keys((route.params as (z.ZodType & { shape?: object }) | undefined)?.shape ?? {});
		const isSame = named.length === declared.length && named.every((name) => declared.includes(name));
		const braced = route.path.replace(/\/:(\w+)/g, '/{$1}');
		if (braced !== route.path) {
			report('E_ROUTE_PATH', ', whose parameter has another form than {name}.', `Write ${braced}.`);
		} else if (!route.path.startsWith('/') || !isSame) {
			report('E_ROUTE_PATH', `, whose parameters are [${named}] in the path and [${declared}] in its params schema.`);
		}
	}
}

/** The route with a body in which `model` is optional and has this default. */
function withDefaultModel(route: Route, model: string): Route {
	const body = route.body as z.ZodObject<{ readonly model?: z.ZodString }> | undefined;
	const field = body?.shape?.model;
	if (!body || !field) return route;
	const optional = body.safeExtend({ model: field.default(model) });
	return { ...route, body: optional.meta({ ...body.meta() }) };
}
