/** A typed name for something that one part of a deployment provides and another needs. The id alone identifies it. */
export interface ServiceRef<T> {
	readonly $kind: 'plinth.service';
	readonly id: string;
	readonly optional: boolean;
	/** Carries `T` for the compiler. */
	readonly $type?: T;
}

/** What a plugin, backend or model asks for: a record of local names to service refs. */
export type Needs = Readonly<Record<string, ServiceRef<unknown>>>;

/** The services for {@link Needs}, under the same names. */
export type ResolvedNeeds<N extends Needs> = {
	readonly [K in keyof N]: N[K] extends ServiceRef<infer T>
		? N[K] extends { readonly optional: true }
			? T | undefined
			: T
		: never;
};

/** Declares a service. `id` is `<owner>.<name>`, for example `core.blobs`. */
export function defineService<T>(id: string): ServiceRef<T> & { readonly optional: false } {
	return { $kind: 'plinth.service', id, optional: false };
}

/** Makes a need optional: without a provider, its consumer receives `undefined`. */
export function optional<T>(ref: ServiceRef<T>): ServiceRef<T> & { readonly optional: true } {
	return { $kind: 'plinth.service', id: ref.id, optional: true };
}
