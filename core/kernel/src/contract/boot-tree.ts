import type { ModelInfo } from './model.ts';

/** A model or pool of a preset whose kind no composed plugin consumes. */
export interface UnusedModel {
	readonly id: string;
	readonly kind: string;
}

/** Who satisfies one need. */
export interface TreeNeed {
	readonly service: string;
	/** `backend jobs`, `kernel`, or null for an optional service that nobody provides. */
	readonly provider: string | null;
}

/** One part of a deployment. */
export interface TreePart {
	readonly owner: string;
	/** The factory behind it: `sqliteJobs`, `builtin.video`; of a pool what it balances: `a: 3, b: 1`. */
	readonly factory: string;
	readonly needs: readonly TreeNeed[];
	readonly provides: readonly string[];
	readonly routes: readonly string[];
	/** The kinds of jobs that a plugin runs. */
	readonly jobs: readonly string[];
}

/** A model or pool, and its fallback. */
export interface TreeModel extends ModelInfo {
	/** Ids or aliases, in the order in which they are called. */
	readonly fallback: readonly string[];
}

/** A deployment as people read it: parts in the order of their creation. */
export interface BootTree {
	readonly parts: readonly TreePart[];
	/** With those that `/v1/models` leaves out. */
	readonly models: readonly TreeModel[];
	readonly unusedModels: readonly UnusedModel[];
	/** Every scope that a route asks for, sorted. */
	readonly scopes: readonly string[];
}
