import type { z } from 'zod';
import type { Route } from '../../contract/http/route.ts';
import { systemPaths } from '../../http/routing/system.ts';
import { routeKey } from '../../http/routing/table.ts';
import { type BootProblem, bootProblem } from './problem.ts';

/**
 * The routes of all plugins with their owners. Wrong and double ones are listed, so that one report names them all.
 */
export class PluginRoutes {
	readonly owners = new Map<Route, string>();
	readonly problems: BootProblem[] = [];
	#isFrozen = false;
	/** Who has claimed what. The kernel's own routes come first. */
	readonly #taken = new Map<string, string>(
		systemPaths.map((path) => [routeKey({ method: 'GET', path }), 'the kernel']),
	);

	/** Adds the routes of one plugin. Throws once they are frozen: the server would never learn of them. */
	add(plugin: string, routes: readonly Route[]): void {
		if (this.#isFrozen) throw new Error(`plugin ${plugin} registers a route after its setup.`);
		for (const route of routes) {
			this.owners.set(route, plugin);
			this.#check(plugin, route);
		}
	}

	/** All routes, frozen. */
	freeze(): readonly Route[] {
		this.#isFrozen = true;
		return Object.freeze([...this.owners.keys()]);
	}

	#check(plugin: string, route: Route): void {
		const owner = `plugin ${plugin}`;
		const name = `${route.method} ${route.path}`;
		const place = { owner, path: `plugins.${plugin}` };
		const report = (code: BootProblem['code'], message: string) =>
			this.problems.push(bootProblem(code, place, message));

		const lacking = (['method', 'path', 'handler', 'response', 'summary', 'errors'] as const).filter(
			(key) => !route[key],
		);
		if (lacking.length > 0) {
			report('E_ROUTE_PATH', `registers ${name} without ${lacking.join(', ')}.`);
			return;
		}
		if (!methods.includes(route.method)) {
			report('E_ROUTE_PATH', `registers ${name}: a method is one of ${methods.join(', ')}.`);
			return;
		}
		const shape = routeKey(route);
		const other = this.#taken.get(shape);
		if (other !== undefined) report('E_ROUTE_DUPLICATE', `registers ${name}, which ${other} has registered.`);
		this.#taken.set(shape, owner);

		if (typeof route.scope !== 'string' || route.scope === '')
			report('E_ROUTE_SCOPE', `registers ${name} without a scope.`);

		const named = [...route.path.matchAll(/\{([^}]+)\}/g)].map(([, key]) => key ?? '');
		const declared = Object.keys((route.params as (z.ZodType & { shape?: object }) | undefined)?.shape ?? {});
		const wrong =
			/\/:/.test(route.path) ||
			!route.path.startsWith('/') ||
			named.length !== declared.length ||
			named.some((key) => !declared.includes(key));
		if (wrong)
			report(
				'E_ROUTE_PATH',
				`registers ${name}, whose parameters are [${named}] in the path and [${declared}] in its params schema.`,
			);
	}
}

const methods = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'];
