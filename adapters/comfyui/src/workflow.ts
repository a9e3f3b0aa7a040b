import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { z } from 'zod';
import type { BindingName, CommonOptions, Place } from './options.ts';

const graphSchema = z.record(
	z.string(),
	z.looseObject({ class_type: z.string(), inputs: z.record(z.string(), z.unknown()) }),
);

/** A workflow in API format: nodes by id. */
export type Graph = z.output<typeof graphSchema>;

/** The values of a request, by binding. Pictures are the names of uploaded files, in order. */
export type Values = Readonly<Partial<Record<BindingName, string | number | readonly string[] | undefined>>> & {
	readonly image?: readonly string[];
};

type WorkflowOptions = Pick<CommonOptions, 'workflow' | 'bindings' | 'output'>;

/** Reads and checks a workflow. Rejects with all mistakes in one message, for the report of the boot. */
export async function readWorkflow(options: WorkflowOptions, folder: string): Promise<Workflow> {
	const file = resolve(folder, options.workflow);
	let graph: Graph;
	try {
		graph = graphOf(await readFile(file, 'utf8'));
	} catch (cause) {
		const reason = cause instanceof Error ? cause.message : String(cause);
		throw new Error(`the workflow ${file} cannot be used: ${reason}`, { cause });
	}
	const workflow = new Workflow(graph, options);
	const problems = workflow.problems();
	if (problems.length > 0) throw new Error(`the workflow ${file} does not fit its config: ${problems.join(' ')}`);
	return workflow;
}

function graphOf(text: string): Graph {
	const value: unknown = JSON.parse(text);
	const { data } = graphSchema.safeParse(value);
	if (data && Object.keys(data).length > 0) return data;
	const isEditors = Array.isArray((value as { nodes?: unknown } | null)?.nodes);
	throw new Error(
		isEditors
			? 'it is in the format of the editor. Export it in ComfyUI with "Export (API)".'
			: 'it is no workflow in API format, which has "class_type" and "inputs" for each node.',
	);
}

/** A workflow and where the values of requests go. */
export class Workflow {
	readonly #graph: Graph;
	readonly #bindings: CommonOptions['bindings'];
	/** The id of the node whose file is the result. */
	readonly output: string;

	constructor(graph: Graph, { bindings, output }: WorkflowOptions) {
		this.#graph = graph;
		this.#bindings = bindings;
		this.output = output;
	}

	/** How many places a binding has. */
	count(name: BindingName): number {
		return this.#bindings[name]?.length ?? 0;
	}

	/** The binding of an input; undefined for others. */
	bindingOf(node: string, input: string): BindingName | undefined {
		return this.#places().find(([, place]) => place.node === node && place.input === input)?.[0];
	}

	/** Whether an input has a value or a link in the file. */
	isFilled(node: string, input: string): boolean {
		return this.#graph[node]?.inputs[input] !== undefined;
	}

	/** The classes of all nodes, and the ids of the nodes of each. */
	classes(): ReadonlyMap<string, readonly string[]> {
		const classes = new Map<string, string[]>();
		for (const [id, { class_type: name }] of Object.entries(this.#graph)) {
			classes.set(name, [...(classes.get(name) ?? []), id]);
		}
		return classes;
	}

	/** A copy with the values of a request. What a request does not set stays; a picture that it lacks is taken out. */
	fill(values: Values): Graph {
		const graph = structuredClone(this.#graph);
		const sent = new Set<string>();
		const unsent = new Set<string>();
		for (const name of Object.keys(this.#bindings) as BindingName[]) {
			for (const [index, { node, input }] of (this.#bindings[name] ?? []).entries()) {
				const value = name === 'image' ? values.image?.[index] : values[name];
				if (value !== undefined) (graph[node] as Graph[string]).inputs[input] = value;
				if (name === 'image' || name === 'mask') (value === undefined ? unsent : sent).add(node);
			}
		}
		for (const node of unsent) if (!sent.has(node)) remove(graph, node);
		return graph;
	}

	/** The mistakes that show without the server, one sentence each. */
	problems(): readonly string[] {
		const missing = this.#places().flatMap(([name, { node, input }]) => {
			const found = this.#graph[node];
			if (!found) return [`bindings.${name}: there is no node ${node}.`];
			if (Object.hasOwn(found.inputs, input)) return [];
			const known = Object.keys(found.inputs).join(', ') || 'none';
			return [`bindings.${name}: node ${node} (${found.class_type}) has no input ${input}; its inputs: ${known}.`];
		});
		const lacksPrompt = this.count('prompt') + this.count('image') === 0;
		return [
			...missing,
			...(lacksPrompt ? ['bindings: neither prompt nor image is bound.'] : []),
			...this.#outputProblems(),
		];
	}

	#outputProblems(): readonly string[] {
		const node = this.#graph[this.output];
		if (!node) return [`output: there is no node ${this.output}.`];
		const what = `output: node ${this.output} (${node.class_type})`;
		if (node.class_type === 'SaveImageWebsocket') {
			return [`${what} saves nothing: it sends pictures over the socket. Use SaveImage or PreviewImage.`];
		}
		const reader = Object.keys(this.#graph).find((id) => isLinked(this.#graph[id], this.output));
		// Without the server, only the use of its output shows that a node is not the last one.
		if (reader === undefined || /save|preview|combine/i.test(node.class_type)) return [];
		return [`${what} saves nothing: node ${reader} reads its output. Name the node that saves the file.`];
	}

	#places(): readonly (readonly [BindingName, Place])[] {
		return Object.entries(this.#bindings).flatMap(([name, places]) =>
			(places ?? []).map((place) => [name as BindingName, place] as const),
		);
	}
}

/**
 * Takes a node out, and the inputs that read it: ComfyUI goes without optional ones and refuses the others. A node that
 * reads nothing else, such as one that scales the picture, goes too.
 */
function remove(graph: Graph, node: string): void {
	delete graph[node];
	for (const [id, { inputs }] of Object.entries(graph)) {
		const names = Object.keys(inputs).filter((name) => isLink(inputs[name], node));
		for (const name of names) delete inputs[name];
		if (names.length > 0 && !Object.values(inputs).some(Array.isArray)) remove(graph, id);
	}
}

function isLinked(node: Graph[string] | undefined, to: string): boolean {
	return Object.values(node?.inputs ?? {}).some((value) => isLink(value, to));
}

function isLink(value: unknown, to: string): boolean {
	return Array.isArray(value) && value.length === 2 && value[0] === to;
}
