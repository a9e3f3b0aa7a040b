import type { z } from 'zod';
import type { Route } from '../../contract/http/route.ts';
import { systemPaths } from '../../http/routing/system.ts';
import { routeKey } from '../../http/routing/table.ts';
import { type BootProblem, bootProblem } from './problem.ts';

const methods = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'];
const required = ['method', 'path', 'handler', 'response', 'summary', 'errors'] as const;

/** The routes of all plugins with their owners. Wrong and double ones are listed for one report. */
export class PluginRoutes {
	readonly owners = new Map<Route, string>();
	readonly problems: BootProblem[] = [];
	#isFrozen = false;
	/** By key, the owner of a route. The kernel's own routes come first. */
	readonly #taken = new Map(systemPaths.map((path) => [routeKey({ method: 'GET', path }), 'the kernel']));

	/** Adds the routes of one plugin, with its default model. Throws once the routes are frozen. */
	add(plugin: string, routes: readonly Route[], defaultModel?: string): void {
		if (this.#isFrozen) throw new Error(`plugin ${plugin} registers a route after its setup.`);
		for (const route of routes) {
			this.owners.set(defaultModel ? withDefaultModel(route, defaultModel) : route, plugin);
			this.#check(plugin, route);
		}
	}

	/** Says that every plugin has been set up. */
	freeze(): void {
		this.#isFrozen = true;
	}

	#check(plugin: string, route: Route): void {
		const owner = `plugin ${plugin}`;
		const report = (code: BootProblem['code'], message: string) => {
			const sentence = `registers ${route.method} ${route.path}${message}`;
			this.problems.push(bootProblem(code, { owner, path: `plugins.${plugin}` }, sentence));
		};
		const lacking = required.filter((key) => !route[key]);
		if (lacking.length > 0 || !methods.includes(route.method)) {
			const isComplete = lacking.length === 0;
			const words = isComplete ? `: a method is one of ${methods.join(', ')}.` : ` without ${lacking.join(', ')}.`;
			report('E_ROUTE_PATH', words);
			return;
		}
		const key = routeKey(route);
		const other = this.#taken.get(key);
		if (other !== undefined) report('E_ROUTE_DUPLICATE', `, which ${other} has registered.`);
		this.#taken.set(key, owner);
		if (typeof route.scope !== 'string' || route.scope === '') report('E_ROUTE_SCOPE', ' without a scope.');

		const named = [...route.path.matchAll(/\{([^}]+)\}/g)].map(([, name]) => name ?? '');
		const declared = Object.keys((route.params as (z.ZodType & { shape?: object }) | undefined)?.shape ?? {});
		const isSame = named.length === declared.length && named.every((name) => declared.includes(name));
		if (/\/:/.test(route.path) || !route.path.startsWith('/') || !isSame) {
			const parameters = `[${named}] in the path and [${declared}] in its params schema`;
			report('E_ROUTE_PATH', `, whose parameters are ${parameters}.`);
		}
	}
}

/** A route whose body does not need the `model` that it has. */
function withDefaultModel(route: Route, model: string): Route {
	const body = route.body as z.ZodObject<{ readonly model?: z.ZodString }> | undefined;
	const field = body?.shape?.model;
	if (!body || !field) return route;
	const optional = body.safeExtend({ model: field.default(model) });
	return { ...route, body: optional.meta({ ...body.meta() }) };
}
