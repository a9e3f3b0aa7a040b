import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { z } from 'zod';
import type { BindingName, CommonOptions, Place } from './options.ts';

const nodeSchema = z.looseObject({ class_type: z.string(), inputs: z.record(z.string(), z.unknown()) });
const graphSchema = z.record(z.string(), nodeSchema).refine((graph) => Object.keys(graph).length > 0);

/** A workflow in API format: nodes by id. */
export type Graph = z.output<typeof graphSchema>;

/** The values of a request, by binding. Pictures are the names of uploaded files, in order. */
export type Values = Readonly<Partial<Record<Exclude<BindingName, 'image'>, string | number | undefined>>> & {
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
		throw new Error(`the workflow ${file} cannot be used: ${(cause as Error).message}`, { cause });
	}
	const workflow = new Workflow(graph, options);
	const problems = workflow.problems();
	if (problems.length > 0) throw new Error(`the workflow ${file} does not fit its config: ${problems.join(' ')}`);
	return workflow;
}

function graphOf(text: string): Graph {
	const value: unknown = JSON.parse(text);
	const { data } = graphSchema.safeParse(value);
	if (data) return data;
	throw new Error(
		Array.isArray(Object(value).nodes)
			? 'it is in the format of the editor. Export it in ComfyUI with "Export (API)".'
			: 'it is no workflow in API format, which has "class_type" and "inputs" for each node.',
	);
}

/** A workflow and where the values of requests go. */
export class Workflow {
	/** The id of the node whose file is the result. */
	readonly output: string;
	/** The file as it is. */
	readonly graph: Graph;
	readonly #places: readonly { readonly name: BindingName; readonly index: number; readonly place: Place }[];

	constructor(graph: Graph, { bindings, output }: WorkflowOptions) {
		this.output = output;
		this.graph = graph;
		const names = Object.keys(bindings) as BindingName[];
		this.#places = names.flatMap((name) => (bindings[name] ?? []).map((place, index) => ({ name, index, place })));
	}

	/** How many places a binding has. */
	count(binding: BindingName): number {
		return this.#places.filter(({ name }) => name === binding).length;
	}

	/** The binding of an input; undefined for others. */
	bindingOf(node: string, input: string): BindingName | undefined {
		return this.#places.find(({ place }) => place.node === node && place.input === input)?.name;
	}

	/** A copy with the values of a request. What a request does not set stays; a picture that it lacks is taken out. */
	fill(values: Values): Graph {
		const graph = structuredClone(this.graph);
		const sent = new Set<string>();
		const unsent = new Set<string>();
		for (const { name, index, place } of this.#places) {
			const value = name === 'image' ? values.image?.[index] : values[name];
			const node = graph[place.node];
			if (node && value !== undefined) node.inputs[place.input] = value;
			if (name === 'image' || name === 'mask') (value === undefined ? unsent : sent).add(place.node);
		}
		for (const node of unsent) if (!sent.has(node)) remove(graph, node);
		return graph;
	}

	/** The mistakes that show without the server, one sentence each. */
	problems(): readonly string[] {
		const missing = this.#places.map(({ name, place: { node, input } }) => {
			const found = this.graph[node];
			if (!found) return `bindings.${name}: there is no node ${node}.`;
			if (Object.hasOwn(found.inputs, input)) return '';
			const known = Object.keys(found.inputs).join(', ') || 'none';
			return `bindings.${name}: node ${node} (${found.class_type}) has no input ${input}; its inputs: ${known}.`;
		});
		const lacksPrompt = this.count('prompt') + this.count('image') === 0;
		const unbound = lacksPrompt ? 'bindings: neither prompt nor image is bound.' : '';
		return [...missing, unbound, this.#outputProblem()].filter(Boolean);
	}

	#outputProblem(): string {
		const name = this.graph[this.output]?.class_type;
		if (name === undefined) return `output: there is no node ${this.output}.`;
		const fault = `output: node ${this.output} (${name}) saves nothing:`;
		if (name === 'SaveImageWebsocket') {
			return `${fault} it sends pictures over the socket. Use SaveImage or PreviewImage.`;
		}
		const reader = Object.keys(this.graph).find((id) => linksTo(this.graph, id, this.output).length > 0);
		// Without the server, only the use of its output shows that a node is not the last one.
		if (reader === undefined || /save|preview|combine/i.test(name)) return '';
		return `${fault} node ${reader} reads its output. Name the node that saves the file.`;
	}
}

/**
 * Takes a node out, and the inputs that read it: ComfyUI goes without optional ones and refuses the others. A node that
 * reads nothing else, such as one that scales the picture, goes too.
 */
function remove(graph: Graph, node: string): void {
	delete graph[node];
	for (const [id, { inputs }] of Object.entries(graph)) {
		const names = linksTo(graph, id, node);
		for (const name of names) delete inputs[name];
		if (names.length > 0 && !Object.values(inputs).some(Array.isArray)) remove(graph, id);
	}
}

/** The inputs of a node that read another one. */
function linksTo(graph: Graph, node: string, target: string): readonly string[] {
	const inputs = Object.entries(graph[node]?.inputs ?? {});
	const isLink = (value: unknown) => Array.isArray(value) && value.length === 2 && value[0] === target;
	return inputs.filter(([, value]) => isLink(value)).map(([name]) => name);
}
