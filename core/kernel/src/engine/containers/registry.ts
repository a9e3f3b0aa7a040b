// The entry without the search for modules, which would load a file-matching library.
import { type AwilixContainer, asFunction, asValue, createContainer, InjectionMode } from 'awilix/browser';
import type { Needs, ResolvedNeeds, ServiceRef } from '../../contract/service.ts';

/** A backend, model or plugin as the registry creates it. */
export interface RegisteredPart {
	/** `backend jobs` */
	readonly owner: string;
	/** By local name; only these are in the part's scope. */
	readonly needs: Needs;
	create(services: ResolvedNeeds<Needs>): Promise<void>;
	/** Undoes `create`. Not called for a part that was never created. */
	dispose(): Promise<void>;
}

/** What the config brings: the provided services, and one scope per part with its needs and the part itself. */
export class Registry {
	readonly #root: AwilixContainer = createContainer({ injectionMode: InjectionMode.PROXY, strict: true });
	readonly #scopes = new Map<string, AwilixContainer>();

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

	/** Registers a part, whose scope is passed to its factory. Absent optional services are undefined there. */
	register({ owner, needs, create, dispose }: RegisteredPart): void {
		const scope = this.#root.createScope();
		for (const [name, ref] of Object.entries(needs)) {
			scope.register(name, asFunction(() => this.find(ref)).scoped());
		}
		// Scoped: the only instance of its scope, and the scope is the only one of the part.
		scope.register(
			self,
			asFunction(() => create(scope.cradle as ResolvedNeeds<Needs>))
				.scoped()
				.disposer(dispose),
		);
		this.#scopes.set(owner, scope);
	}

	/** Creates a part, once. Awaited in the order of the graph: a factory finds only what was provided before. */
	async create(owner: string): Promise<void> {
		await this.#scopes.get(owner)?.resolve(self);
	}

	/** Disposes of a part. */
	async dispose(owner: string): Promise<void> {
		await this.#scopes.get(owner)?.dispose();
	}
}

/** The key of a part in its scope. */
const self = Symbol('part');

/** A symbol, so that a scope lists local names only. */
function keyOf({ id }: ServiceRef<unknown>): symbol {
	return Symbol.for(id);
}
