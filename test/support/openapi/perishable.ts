/** A thing that the operation under test uses up: another one is made as soon as it is asked for again. */
export interface Perishable {
	id(): Promise<string>;
	/** Says that it has gone. */
	used(): void;
}

/** Makes things by way of `make`, which answers with the id, when there is none. */
export function perishable(make: () => Promise<string>): Perishable {
	let id = '';
	return {
		async id() {
			id ||= await make();
			return id;
		},
		used() {
			id = '';
		},
	};
}
