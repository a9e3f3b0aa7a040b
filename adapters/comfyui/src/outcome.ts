import { modelError, type PlinthError, plinthError } from '@plinth/core';
import { z } from 'zod';
import type { BindingName } from './options.ts';
import type { HistoryEntry } from './server.ts';
import type { Workflow } from './workflow.ts';

const text = z.string().default('');
const place = z.object({ input_name: text }).catch({ input_name: '' });
const faultSchema = z.object({ type: text, message: text, details: text, extra_info: place });
const nodeSchema = z.object({ errors: z.array(faultSchema), dependent_outputs: z.array(z.string()).default([]) });
const refusalSchema = z.object({
	error: z.object({ message: text }).nullish(),
	node_errors: z.record(z.string(), nodeSchema).catch({}),
});

/** The request parameters that set the bindings, except for pictures. */
const params: Readonly<Partial<Record<BindingName, string>>> = {
	prompt: 'prompt',
	width: 'size',
	height: 'size',
	steps: 'num_inference_steps',
	frames: 'seconds',
	mask: 'mask',
};

/**
 * The coded error when ComfyUI refused a prompt, or the configured output of it; undefined for an accepted prompt. An
 * invalid value of a binding is an error of the client and names the binding. Other faults are errors of the workflow.
 * `image` is the parameter of the request that has the pictures.
 */
export function refusalOf(body: unknown, workflow: Workflow, image: string): PlinthError | undefined {
	const { error, node_errors: nodes } = refusalSchema.parse(body);
	const faults = Object.entries(nodes)
		.filter(([, { dependent_outputs: outputs }]) => error || outputs.includes(workflow.output))
		.flatMap(([node, { errors }]) => errors.map((fault) => ({ ...fault, node, input: fault.extra_info.input_name })));
	if (!error && faults.length === 0) return undefined;
	const summary = faults.map(({ node, message, details }) => `node ${node}: ${message} (${details})`).join('; ');
	const cause = new Error(`ComfyUI refuses the workflow: ${summary || error?.message}`);
	for (const { node, input, type, message: text, details } of faults) {
		const binding = workflow.bindingOf(node, input);
		const param = binding && { ...params, image }[binding];
		const message = `The workflow refuses the binding ${binding}: ${text} (${details}).`;
		if (param) return plinthError('E_VALUE_INVALID', { param, message, cause });
		// Without a picture from the client, the node of the picture was removed, with the inputs that read it.
		const isPictureMissing = type === 'required_input_missing' && workflow.graph[node]?.inputs[input] !== undefined;
		const missing = `The workflow needs a further picture: its input ${input} has none.`;
		if (isPictureMissing) return plinthError('E_VALUE_MISSING', { param: image, message: missing, cause });
	}
	return plinthError('E_MODEL_FAILED', { cause });
}

/** The members of an output that contain files: `SaveVideo` reports under `images`, others under `gifs` or `video`. */
const members = { picture: ['images'], video: ['video', 'videos', 'gifs', 'images'] } as const;

/** The query for the first file that a node has saved. Throws when there is none, or when the prompt failed. */
export function fileOf(entry: HistoryEntry, node: string, kind: keyof typeof members): string {
	const failure = failureOf(entry);
	if (failure) throw failure;
	const output = entry.outputs[node] ?? {};
	const files = members[kind].map((name) => [output[name]].flat()[0] as Record<string, unknown> | undefined);
	const { filename, subfolder = '', type = 'output' } = files.find((file) => file?.filename) ?? {};
	if (!filename) throw modelError('The workflow has saved no file.');
	const isAnimation = kind === 'picture' && [output.animated].flat().includes(true);
	if (isAnimation) throw modelError('The workflow has made an animation in place of a picture.');
	return `${new URLSearchParams({ filename: `${filename}`, subfolder: `${subfolder}`, type: `${type}` })}`;
}

/** The coded error for a prompt that ended without success; undefined for a successful one. */
function failureOf({ status }: HistoryEntry): PlinthError | undefined {
	if (!status || status.status_str === 'success') return undefined;
	const messages = new Map(status.messages);
	const interrupted = 'The work was interrupted at the server of the model.';
	if (messages.has('execution_interrupted')) return modelError(interrupted);
	const { node_id: node, node_type: name, exception_type: kind, ...data } = messages.get('execution_error') ?? {};
	const reason = `${kind}: ${`${data.exception_message}`.trim()}`;
	const cause = new Error(`node ${node} (${name}) failed with ${reason}`);
	return /out ?of ?memory|allocation on device/i.test(reason)
		? modelError('The server of the model has too little memory for this request.', cause)
		: plinthError('E_MODEL_FAILED', { cause });
}
