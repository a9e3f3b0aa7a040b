// The entry without the search for modules, which would load a file-matching library.
import { type AwilixContainer, asFunction, asValue, createContainer, InjectionMode } from 'awilix/browser';
import type { Needs, ResolvedNeeds, ServiceRef } from '../../contract/service.ts';

/** What the config brings: the provided services, and one scope per part with its needs and the part itself. */
export class Registry {
	readonly #root: AwilixContainer = createContainer({ injectionMode: InjectionMode.PROXY, strict: true });

	/** Registers a service. */
	provide(ref: ServiceRef<unknown>, value: unknown): this {
		this.#root.register(keyOf(ref), asValue(value));
		return this;
	}

	/** The service, or undefined. */
	find<T>(ref: ServiceRef<T>): T | undefined {
		return this.#root.resolve<T | undefined>(keyOf(ref), { allowUnregistered: true });
	}

	/** The service of a need that the graph has checked. */
	get<T>(ref: ServiceRef<T>): T {
		return this.#root.resolve<T>(keyOf(ref));
	}

	/**
	 * Makes the scope of a backend, model or plugin: its needs under their local names, and the part itself. It is
	 * created once, with what has been provided by then, and disposed of only if it was created.
	 */
	scope(needs: Needs, create: (services: ResolvedNeeds<Needs>) => Promise<void>, dispose: () => Promise<void>) {
		const scope = this.#root.createScope();
		for (const [name, ref] of Object.entries(needs)) {
			scope.register(name, asFunction(() => this.find(ref)).scoped());
		}
		const part = asFunction(() => create(scope.cradle as ResolvedNeeds<Needs>));
		scope.register(self, part.scoped().disposer(dispose));
		return { create: () => scope.resolve<Promise<void>>(self), dispose: () => scope.dispose() };
	}
}

/** The key of a part in its scope. */
const self = Symbol('part');

/** A symbol, so that a scope lists local names only. */
function keyOf({ id }: ServiceRef<unknown>): symbol {
	return Symbol.for(id);
}
