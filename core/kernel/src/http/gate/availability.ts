import { plinthError } from '../../contract/errors/coded-error.ts';
import type { Context, Next } from '../context.ts';
import { probePaths } from '../routing/system.ts';
import type { RouteTable } from '../routing/table.ts';

/** Resolves when the app can answer; rejects with what the client reads when it cannot start. */
export type WhenReady = () => Promise<void> | void;

/** The middleware that lets requests wait for the start of the app, and refuses new ones once it stops. */
export class Availability {
	readonly #whenReady: WhenReady;
	readonly #routes: RouteTable;
	#isStopping = false;

	constructor(whenReady: WhenReady, routes: RouteTable) {
		this.#whenReady = whenReady;
		this.#routes = routes;
	}

	/** From now on requests that a host sends are refused, those for public routes apart. */
	stop(): void {
		this.#isStopping = true;
	}

	/** Throws `E_STOPPING`, and what the start rejects with. Probes do not wait. */
	async handle({ req, state: { entry } }: Context, next: Next): Promise<unknown> {
		const { path } = entry.target;
		// The listener accepted its connections before it closed: requests on them are answered.
		if (this.#isStopping && !entry.hooks && this.#routes.needsKey(req.method, path)) {
			throw plinthError('E_STOPPING');
		}
		if (!probePaths.includes(path)) await this.#whenReady();
		return next();
	}
}
