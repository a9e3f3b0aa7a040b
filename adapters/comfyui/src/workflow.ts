import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { z } from 'zod';
import { type BindingName, binding, type CommonOptions } from './options.ts';

const nodeSchema = z.looseObject({ class_type: z.string(), inputs: z.record(z.string(), z.unknown()) });
const graphSchema = z.record(z.string(), nodeSchema).refine((graph) => Object.keys(graph).length > 0);

/** A workflow in API format: nodes by id. */
export type Graph = z.output<typeof graphSchema>;

/** The values of a request, by binding. A list has one value per input: the names of uploaded pictures, in order. */
export type Values = Readonly<Partial<Record<BindingName, string | number | readonly string[] | undefined>>>;

type WorkflowOptions = Pick<CommonOptions, 'workflow' | 'bindings' | 'output'>;

/** Reads and checks a workflow. Rejects with one error that lists all mistakes, for the boot report. */
export async function readWorkflow(options: WorkflowOptions, folder: string): Promise<Workflow> {
	const file = resolve(folder, options.workflow);
	const text = readFile(file, 'utf8');
	const graph = await text.then(graphOf).catch((cause: Error) => {
		throw new Error(`the workflow ${file} cannot be used: ${cause.message}`, { cause });
	});
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

/** A workflow and the inputs that receive the values of requests. */
export class Workflow {
	/** The id of the node whose file is the result. */
	readonly output: string;
	/** The workflow as in its file. */
	readonly graph: Graph;
	readonly #boundInputs: ReturnType<typeof boundInputsOf>;

	constructor(graph: Graph, { bindings, output }: WorkflowOptions) {
		this.output = output;
		this.graph = graph;
		this.#boundInputs = boundInputsOf(bindings);
	}

	/** The number of inputs that a binding sets. */
	count(binding: BindingName): number {
		return this.#boundInputs.filter(({ name }) => name === binding).length;
	}

	/** The binding of an input; undefined for others. */
	bindingOf(node: string, input: string): BindingName | undefined {
		return this.#boundInputs.find((bound) => bound.node === node && bound.input === input)?.name;
	}

	/** A copy with the values of a request. Other inputs keep their values; nodes of absent pictures are removed. */
	fill(values: Values): Graph {
		const graph = structuredClone(this.graph);
		const isSent = new Map<string, boolean>();
		for (const { name, index, node, input } of this.#boundInputs) {
			const valueOrList = values[name];
			const value = Array.isArray(valueOrList) ? valueOrList[index] : valueOrList;
			const inputs = graph[node]?.inputs;
			if (inputs && value !== undefined) inputs[input] = value;
			if (name === 'image' || name === 'mask') isSent.set(node, isSent.get(node) || value !== undefined);
		}
		for (const [node, isKept] of isSent) if (!isKept) remove(graph, node);
		return graph;
	}

	/** The mistakes that can be detected without the server, one sentence each. */
	problems(): readonly string[] {
		const missing = this.#boundInputs.map(({ name, node, input }) => {
			const target = this.graph[node];
			if (!target) return `bindings.${name}: there is no node ${node}.`;
			if (Object.hasOwn(target.inputs, input)) return '';
			const known = Object.keys(target.inputs).join(', ') || 'none';
			return `bindings.${name}: node ${node} (${target.class_type}) has no input ${input}; its inputs: ${known}.`;
		});
		const lacksPrompt = this.count('prompt') + this.count('image') === 0;
		const unbound = lacksPrompt ? 'bindings: neither prompt nor image is bound.' : '';
		return [...missing, unbound, this.#outputProblem()].filter(Boolean);
	}

	#outputProblem(): string {
		const { graph, output } = this;
		const name = graph[output]?.class_type;
		if (name === undefined) return `output: there is no node ${output}.`;
		const fault = `output: node ${output} (${name}) saves nothing:`;
		const isOverSocket = name === 'SaveImageWebsocket';
		if (isOverSocket) return `${fault} it sends pictures over the socket. Use SaveImage or PreviewImage.`;
		// Only the server knows which nodes save files. Here, a node whose output another node reads counts as not saving.
		const reader = Object.keys(graph).find((id) => linksTo(graph, id, output).length > 0);
		if (reader === undefined || /save|preview|combine/i.test(name)) return '';
		return `${fault} node ${reader} reads its output. Name the node that saves the file.`;
	}
}

/** The inputs of nodes that bindings set. `index` is the position among the inputs of one binding. */
function boundInputsOf(bindings: WorkflowOptions['bindings']) {
	return binding.options.flatMap((name) =>
		[bindings[name] ?? []].flat().map((path, index) => {
			// Ids of nodes in subgraphs contain `:`, and names of inputs contain dots.
			const [node = '', ...input] = path.split('.inputs.');
			return { name, index, node, input: input.join('.inputs.') };
		}),
	);
}

/**
 * Removes a node and the inputs that read it: ComfyUI accepts missing optional inputs and refuses other missing ones.
 * A node that reads no other node, such as one that scales the picture, is removed too.
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
