import type { Collection } from './library/collection.ts';
import type { Source } from './library/portions.ts';
import type { Slices } from './library/slices.ts';

/** What an answer is made from. */
export interface ChatContext {
	readonly sources: readonly Source[];
	readonly collection: Collection;
	/** Varies wordings only. */
	readonly seed: number;
	/** Heard in loops over everything. */
	readonly slices: Slices;
}
