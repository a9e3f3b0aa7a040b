// tsyringe builds the kernel's own classes, known at compile time, in one child container per app. awilix (registry.ts)
// builds the parts of the config: backends, models and plugins, each in its own scope.
// Direction: backends (awilix) -> kernel (tsyringe) -> plugins (awilix). Requests use no container, only `call`.
// Neither container is disposed as a whole, because that is concurrent: lifecycle.ts disposes one scope at a time, in
// reverse. tsyringe needs reflect-metadata first, so only this file imports them, in this order.
import 'reflect-metadata';
import { container, type DependencyContainer, instanceCachingFactory } from 'tsyringe';

/** A typed key of the kernel container. `$type` holds `T` for the compiler, in both directions. */
export interface Token<T> {
	readonly symbol: symbol;
	readonly $type?: (value: T) => T;
}

export function token<T>(name: string): Token<T> {
	return { symbol: Symbol(name) };
}

export type Get = <T>(key: Token<T>) => T;

const wirings = new Map<symbol, (get: Get) => unknown>();

/**
 * Declares how every kernel container builds a class: `wire(pair, (get) => new Pair({ left: get(left) }))`. A function,
 * because type stripping cannot run decorators.
 */
export function wire<T>(key: Token<T>, build: (get: Get) => NoInfer<T>): void {
	wirings.set(key.symbol, build);
}

/** The kernel container of one app: it builds each wired class once. */
export class KernelContainer {
	readonly #container: DependencyContainer = container.createChildContainer();

	constructor() {
		const get: Get = (key) => this.get(key);
		for (const [symbol, build] of wirings) {
			this.#container.register(symbol, { useFactory: instanceCachingFactory(() => build(get)) });
		}
	}

	value<T>(key: Token<T>, value: T): this {
		this.#container.register(key.symbol, { useValue: value });
		return this;
	}

	/** The value of a token, or the only instance of its class. Throws for a token that is neither bound nor wired. */
	get<T>(key: Token<T>): T {
		return this.#container.resolve<T>(key.symbol);
	}
}
