// This entry has no module search, which would load a library for file patterns.
import { type AwilixContainer, asFunction, asValue, createContainer, InjectionMode } from 'awilix/browser';
import type { Needs, ResolvedNeeds, ServiceRef } from '../../contract/service.ts';

/** The parts of the config: the provided services, and one scope per part with its needs and the part itself. */
export class Registry {
	readonly #root: AwilixContainer = createContainer({ injectionMode: InjectionMode.PROXY, strict: true });

	provide(ref: ServiceRef<unknown>, value: unknown): this {
		this.#root.register(keyOf(ref), asValue(value));
		return this;
	}

	find<T>(ref: ServiceRef<T>): T | undefined {
		return this.#root.resolve<T | undefined>(keyOf(ref), { allowUnregistered: true });
	}

	/** The service of a need that the graph has checked. */
	get<T>(ref: ServiceRef<T>): T {
		return this.#root.resolve<T>(keyOf(ref));
	}

	/** The scope of a part: it is created once, with the services provided by then, and disposed of only if created. */
	scope(needs: Needs, create: (services: ResolvedNeeds<Needs>) => Promise<void>, dispose: () => Promise<void>) {
		const scope = this.#root.createScope();
		for (const [name, ref] of Object.entries(needs)) scope.register(name, asFunction(() => this.find(ref)).scoped());
		const part = asFunction(() => create(scope.cradle as ResolvedNeeds<Needs>));
		scope.register(self, part.scoped().disposer(dispose));
		return { create: () => scope.resolve<Promise<void>>(self), dispose: () => scope.dispose() };
	}
}

const self = Symbol('part');

/** A symbol, so that a scope lists local names only. */
function keyOf({ id }: ServiceRef<unknown>): symbol {
	return Symbol.for(id);
}
