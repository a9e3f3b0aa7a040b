/** A resource that the operation under test deletes. A new one is created when it is needed again. */
export interface Consumable {
	id(): Promise<string>;
	/** Marks the resource as deleted. */
	markUsed(): void;
}

/** Creates resources on demand with `make`, which returns the id. */
export function consumable(make: () => Promise<string>): Consumable {
	let id = '';
	return {
		async id() {
			id ||= await make();
			return id;
		},
		markUsed() {
			id = '';
		},
	};
}
