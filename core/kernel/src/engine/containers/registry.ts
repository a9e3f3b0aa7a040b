// The entry without the search for modules, which nobody uses here and which loads a whole file-matching library.
import {
	type AwilixContainer,
	asFunction,
	asValue,
	createContainer,
	InjectionMode,
} from 'awilix/browser';
import type { Needs, ServiceRef } from '../../contract/service.ts';

/**
 * What the config brings: one singleton per provided service, and one scope per plugin that holds exactly what it needs.
 * Factories are awaited by the caller, in graph order, and registered as values.
 */
export class Registry {
	readonly #root: AwilixContainer = createContainer({
		injectionMode: InjectionMode.PROXY,
		strict: true,
	});

	/** Registers a service. */
	provide(ref: ServiceRef<unknown>, value: unknown): void {
		this.#root.register(ref.id, asValue(value));
	}

	/** Registers a service that is made when it is first asked for. */
	provideLate(ref: ServiceRef<unknown>, make: () => unknown): void {
		this.#root.register(ref.id, asFunction(() => make()).singleton());
	}

	/** The service, or undefined. */
	find<T>(ref: ServiceRef<T>): T | undefined {
		return this.#root.resolve<T | undefined>(ref.id, { allowUnregistered: true });
	}

	/** The service of a need that the graph has checked. */
	get<T>(ref: ServiceRef<T>): T {
		return this.#root.resolve<T>(ref.id);
	}

	/** The needs of one owner under its local names, from a scope of its own; absent optional ones are undefined. */
	resolve(needs: Needs): Readonly<Record<string, unknown>> {
		const scope = this.#root.createScope();
		for (const [name, ref] of Object.entries(needs)) scope.register(name, asValue(this.find(ref)));
		return Object.fromEntries(Object.keys(needs).map((name) => [name, scope.resolve(name)]));
	}
}
