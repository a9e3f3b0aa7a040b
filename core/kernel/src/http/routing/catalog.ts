import type { Route } from '../../contract/http/route.ts';
import type { ModelInfo } from '../../contract/model.ts';
import { version } from '../../contract/version.ts';
import { describeRoutes } from '../openapi/document.ts';
import { type Readiness, systemRoutes } from './system.ts';

/** The routes that plugins have registered. */
export interface PluginRouteList {
	readonly routes: readonly Route[];
	/** Ids of the plugins behind the routes: their tags in OpenAPI. */
	readonly owners: ReadonlyMap<Route, string>;
}

/** Every route of an app, those of the kernel included, and their description. */
export class RouteCatalog {
	readonly routes: readonly Route[];
	readonly #owners: ReadonlyMap<Route, string>;
	#document: object | undefined;

	constructor(plugins: PluginRouteList, readiness: Readiness, models: () => readonly ModelInfo[]) {
		const system = systemRoutes({ readiness, models, openapi: (url) => this.describe(url) });
		this.routes = [...plugins.routes, ...system];
		this.#owners = plugins.owners;
	}

	/** The OpenAPI 3.1 document for clients that reach the server at `url`. */
	describe(url: string): Record<string, unknown> {
		const tagOf = (route: Route) => this.#owners.get(route) ?? 'system';
		// Made once: anybody may ask for it, and it costs more than a request should.
		this.#document ??= describeRoutes(this.routes, { title: 'Plinth', version, url, tagOf });
		return { ...this.#document, servers: [{ url }] };
	}
}
