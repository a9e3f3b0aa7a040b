/**
 * A typed name for something one part of a deployment provides and another needs.
 *
 * Two refs are the same service when their ids are equal, also across copies of this package.
 */
export interface ServiceRef<T> {
	readonly $kind: 'plinth.service';
	readonly id: string;
	readonly optional: boolean;
	/** Carries `T` for the compiler; never present at run time. */
	readonly $type?: T;
}

/** A service that may be absent: its consumer receives `undefined` when nobody provides it. */
export interface OptionalServiceRef<T> extends ServiceRef<T> {
	readonly optional: true;
}

/** What a plugin, backend or model asks for: a record of local names to service refs. */
export type Needs = Readonly<Record<string, ServiceRef<unknown>>>;

/** The record that satisfies {@link Needs}: exactly the names that were asked for. */
export type ResolvedNeeds<N extends Needs> = {
	readonly [K in keyof N]: N[K] extends OptionalServiceRef<infer T>
		? T | undefined
		: N[K] extends ServiceRef<infer T>
			? T
			: never;
};

/** Declares a service. `id` is `<owner>.<name>`, for example `core.blobs`. */
export function defineService<T>(id: string): ServiceRef<T> & { readonly optional: false } {
	return { $kind: 'plinth.service', id, optional: false };
}

/** Makes a need optional: boot succeeds without a provider. */
export function optional<T>(ref: ServiceRef<T>): OptionalServiceRef<T> {
	return { $kind: 'plinth.service', id: ref.id, optional: true };
}
