// tsyringe wires what is known when this package is compiled: the kernel's own classes, in one child container per app.
// awilix (registry.ts) wires what is learned from the config: backends and plugins.
// Direction: backends (awilix) -> kernel (tsyringe) -> plugins (awilix). Requests use no container, only `call`.
// Neither dispose() is used: both dispose concurrently and unordered; lifecycle.ts unwinds in order instead.
// reflect-metadata must be loaded before tsyringe, hence both imports here, in this order, and nowhere else.
import 'reflect-metadata';
import {
	container,
	type DependencyContainer,
	type InjectionToken,
	inject,
	injectable,
} from 'tsyringe';

/** A typed key of the kernel container. Two tokens of different types cannot be swapped: that does not compile. */
export interface Token<T> {
	readonly symbol: symbol;
	/** Carries `T` for the compiler, in both directions; never present at run time. */
	readonly $type?: (value: T) => T;
}

/** Makes a token. */
export function token<T>(name: string): Token<T> {
	return { symbol: Symbol(name) };
}

type Tokens<P extends readonly unknown[]> = { readonly [K in keyof P]: Token<P[K]> };
type Constructor<P extends readonly unknown[], T> = new (...args: P) => T;

/** Declares what a class is constructed with, without decorator syntax, which type stripping cannot run. */
export function wire<P extends unknown[], T>(type: Constructor<P, T>, ...tokens: Tokens<P>): void {
	tokens.forEach((item: Token<unknown>, index) => {
		inject(item.symbol as InjectionToken)(type, undefined, index);
	});
	injectable<T>()(type as new (...args: unknown[]) => T);
}

/** The kernel container of one app. */
export class KernelContainer {
	readonly #container: DependencyContainer = container.createChildContainer();

	/** Binds a token to a value. */
	value<T>(key: Token<T>, value: T): this {
		this.#container.register(key.symbol, { useValue: value });
		return this;
	}

	/** Builds a wired class once, binds it to its token, and returns it. */
	build<P extends unknown[], T>(key: Token<T>, type: Constructor<P, T>): T {
		const built = this.#container.resolve(type as Constructor<unknown[], T>);
		this.value(key, built);
		return built;
	}
}
