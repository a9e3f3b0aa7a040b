import type { ModelInfo } from './model.ts';

/** One part of a deployment. */
export interface TreePart {
	readonly owner: string;
	/** The factory behind it: `sqliteJobs`, `builtin.video`; of a pool what it balances: `a: 3, b: 1`. */
	readonly factory: string;
	/** `provider` is `backend jobs`, `kernel`, or null for an optional service that nothing provides. */
	readonly needs: readonly { readonly service: string; readonly provider: string | null }[];
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
	/** Models and pools of a preset whose kind no plugin consumes. */
	readonly unusedModels: readonly { readonly id: string; readonly kind: string }[];
	/** Every scope that a route asks for, sorted. */
	readonly scopes: readonly string[];
}
