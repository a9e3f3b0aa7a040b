import type { Graph } from './workflow.ts';

/** The part of a message about one node. */
interface NodeState {
	readonly value?: number;
	readonly max?: number;
	readonly state?: string;
}

/** A message of the socket. */
export interface FeedMessage {
	readonly type: string;
	readonly data: {
		readonly prompt_id?: string;
		readonly node?: string | null;
		readonly nodes?: readonly string[] | Readonly<Record<string, NodeState>>;
		readonly value?: number;
		readonly max?: number;
		readonly status?: { readonly exec_info?: { readonly queue_remaining?: number } };
	};
}

/** One fraction over all nodes of a workflow, in which each node counts the same. It never falls. */
export class Progress {
	readonly #total: number;
	readonly #graph: Graph;
	readonly #done = new Map<string, number>();
	#current: string | undefined;
	/** Whether the server reports all nodes at once, as newer versions do. */
	#isWhole = false;
	#fraction = 0;

	constructor(graph: Graph) {
		this.#graph = graph;
		this.#total = Object.keys(graph).length;
	}

	/** The fraction after a message; undefined when it is not higher than before. */
	after({ type, data }: FeedMessage): number | undefined {
		const { node, nodes = {} } = data;
		if (type === 'execution_cached' && Array.isArray(nodes)) for (const id of nodes) this.#set(id, 1);
		else if (type === 'progress_state') {
			this.#isWhole = true;
			for (const [id, state] of Object.entries(nodes as Readonly<Record<string, NodeState>>)) {
				this.#set(id, state.state === 'finished' ? 1 : partOf(state));
			}
		} else if (!this.#isWhole && type === 'executing') {
			if (this.#current !== undefined) this.#set(this.#current, 1);
			this.#current = node ?? undefined;
		} else if (!this.#isWhole && type === 'progress' && node) this.#set(node, partOf(data));
		return this.#risen();
	}

	#set(id: string, part: number): void {
		// Nodes of a subgraph that is made during the work are not in the workflow.
		if (Object.hasOwn(this.#graph, id)) this.#done.set(id, Math.max(part, this.#done.get(id) ?? 0));
	}

	#risen(): number | undefined {
		const sum = [...this.#done.values()].reduce((all, part) => all + part, 0);
		const fraction = Math.min(1, sum / this.#total);
		if (fraction <= this.#fraction) return undefined;
		this.#fraction = fraction;
		return fraction;
	}
}

function partOf({ value = 0, max = 1 }: NodeState): number {
	return max > 0 && value > 0 ? Math.min(1, value / max) : 0;
}
