import { EventEmitter, once } from 'node:events';
import { setTimeout as delay } from 'node:timers/promises';
import { png } from './files.ts';
import { type Prompt, standsOn } from './validate.ts';

/** An item of the queue, as `/queue` shows it. */
export type QueueItem = [number: number, id: string, prompt: Prompt, extra: Extra, outputs: readonly string[]];

export interface Extra {
	readonly client_id?: string;
	readonly preview_method?: string;
}

/** An error that a node raises. */
export interface NodeError {
	readonly exception_type: string;
	readonly exception_message: string;
}

/** What happens during the work. */
export interface Script {
	/** Milliseconds of each step of a sampler. */
	readonly stepMs?: number;
	/** Most steps of a sampler, however many it is told. */
	readonly steps?: number;
	/** Awaited in the middle of a sampler, unless the prompt is interrupted. */
	during?(id: string, prompt: Prompt): Promise<void> | void;
	/** The error of a node. */
	fail?(node: string, prompt: Prompt): NodeError | undefined;
	/** Changes what an output node reports. */
	output?(saved: object): object;
	/** Computes every node of every prompt. */
	readonly isForgetful?: boolean;
	/** Refuses web sockets, as a proxy does that knows none. */
	readonly hasNoSocket?: boolean;
	/** As versions without `/api/jobs`, `progress_state` and previews that name their prompt. */
	readonly isOld?: boolean;
}

/** What the executor does to its surroundings. */
export interface Surroundings {
	readonly script: Script;
	send(client: string | undefined, type: string, data: object): void;
	sendBytes(client: string | undefined, frame: Buffer): void;
	supportsMetadata(client: string | undefined): boolean;
	save(prompt: Prompt, output: string): object;
}

/** What the history keeps of an execution. */
export interface Executed {
	readonly outputs: Readonly<Record<string, object>>;
	readonly status: { readonly status_str: string; readonly completed: boolean; readonly messages: readonly unknown[] };
}

/** Runs prompts one after the other, as `PromptExecutor` of `execution.py`. */
export class Executor {
	readonly #around: Surroundings;
	readonly #events = new EventEmitter();
	#isInterrupted = false;
	/** Signatures of the nodes that the last prompt has computed. */
	#cache = new Map<string, string>();
	/** How often each prompt has begun. */
	readonly begun = new Map<string, number>();

	constructor(around: Surroundings) {
		this.#around = around;
	}

	/** Sets the flag that the next step looks at; the beginning of a prompt clears it. */
	interrupt(): void {
		this.#isInterrupted = true;
		this.#events.emit('interrupt');
	}

	async execute([, id, prompt, extra, outputs]: QueueItem): Promise<Executed> {
		const { send, script } = this.#around;
		const client = extra.client_id;
		this.#isInterrupted = false;
		this.begun.set(id, (this.begun.get(id) ?? 0) + 1);
		const messages: unknown[] = [];
		const tell = (type: string, data: object) => {
			const told = { prompt_id: id, ...data, timestamp: Date.now() };
			messages.push([type, told]);
			send(client, type, told);
		};
		tell('execution_start', {});
		const order = [...new Set(outputs.flatMap((output) => standsOn(prompt, output)))];
		const cached = script.isForgetful ? [] : order.filter((node) => this.#cache.get(node) === signature(prompt, node));
		tell('execution_cached', { nodes: cached.filter((node) => !outputs.includes(node)) });
		const states: Record<string, object> = {};
		const ui: Record<string, object> = {};
		try {
			for (const node of order) {
				if (cached.includes(node) && !outputs.includes(node)) continue;
				const report = (value: number, max: number, state = 'running') => {
					states[node] = { value, max, state, node_id: node, prompt_id: id, real_node_id: node };
					if (!script.isOld) send(client, 'progress_state', { prompt_id: id, nodes: states });
				};
				send(client, 'executing', { node, display_node: node, prompt_id: id });
				report(0, 1);
				await this.#work({ id, node, prompt, extra }, report);
				const error = script.fail?.(node, prompt);
				if (error) throw Object.assign(new Error('node'), { node, error });
				this.#cache.set(node, signature(prompt, node));
				if (outputs.includes(node)) {
					const saved = this.#around.save(prompt, node);
					ui[node] = script.output?.(saved) ?? saved;
					send(client, 'executed', { node, display_node: node, output: ui[node], prompt_id: id });
				}
				report(1, 1, 'finished');
			}
		} catch (thrown) {
			const { node, error } = thrown as { node: string; error?: NodeError };
			const where = { node_id: node, node_type: prompt[node]?.class_type, executed: [] };
			if (error)
				tell('execution_error', { ...where, ...error, traceback: [], current_inputs: {}, current_outputs: [] });
			else tell('execution_interrupted', where);
			return { outputs: ui, status: { status_str: 'error', completed: false, messages } };
		}
		tell('execution_success', {});
		// The history gets its entry only after the event.
		await delay(2);
		return { outputs: ui, status: { status_str: 'success', completed: true, messages } };
	}

	async #work(
		{ id, node, prompt, extra }: { id: string; node: string; prompt: Prompt; extra: Extra },
		report: (value: number, max: number) => void,
	): Promise<void> {
		const { class_type: name = '', inputs = {} } = prompt[node] ?? {};
		if (/^(?:KSampler|SamplerCustomAdvanced)$/.test(name)) {
			const { script, send } = this.#around;
			const max = Math.min(script.steps ?? 4, Number(inputs.steps ?? 20));
			for (let value = 1; value <= max; value++) {
				await delay(script.stepMs ?? 1);
				if (value === Math.ceil(max / 2)) await Promise.race([script.during?.(id, prompt), this.#interrupted()]);
				this.#check(node);
				send(extra.client_id, 'progress', { value, max, prompt_id: id, node });
				report(value, max);
				if (extra.preview_method === 'auto') this.#preview(extra.client_id, id, node, value);
			}
		}
		this.#check(node);
	}

	async #interrupted(): Promise<void> {
		if (this.#around.script.during === undefined) return;
		if (!this.#isInterrupted) await once(this.#events, 'interrupt');
	}

	#check(node: string): void {
		if (this.#isInterrupted) throw Object.assign(new Error('interrupted'), { node });
	}

	#preview(client: string | undefined, id: string, node: string, step: number): void {
		const picture = png(8, 8, step, '');
		const described = JSON.stringify({ node_id: node, prompt_id: id, image_type: 'image/png' });
		const isDescribed = !this.#around.script.isOld && this.#around.supportsMetadata(client);
		const [kind, second] = isDescribed ? [4, Buffer.byteLength(described)] : [1, 2];
		const head = Buffer.alloc(8);
		head.writeUInt32BE(kind, 0);
		head.writeUInt32BE(second, 4);
		this.#around.sendBytes(client, Buffer.concat([head, Buffer.from(isDescribed ? described : ''), picture]));
	}
}

/** Equal for nodes that compute the same. */
function signature(prompt: Prompt, node: string): string {
	return JSON.stringify(standsOn(prompt, node).map((id) => [id, prompt[id]]));
}
