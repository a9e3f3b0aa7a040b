import { modelError, type PlinthError, plinthError } from '@plinth/core';
import { z } from 'zod';
import type { BindingName } from './options.ts';
import type { HistoryEntry } from './server.ts';
import type { Workflow } from './workflow.ts';

const text = z.string().default('');
const faultSchema = z.object({
	type: text,
	message: text,
	details: text,
	extra_info: z.object({ input_name: text }).catch({ input_name: '' }),
});
const nodeSchema = z.object({ errors: z.array(faultSchema), dependent_outputs: z.array(z.string()).default([]) });
const refusalSchema = z.object({
	error: z.object({ message: text }).nullish(),
	node_errors: z.record(z.string(), nodeSchema).catch({}),
});

/** The parameters of requests that bindings come from, but for pictures. */
const params: Readonly<Partial<Record<BindingName, string>>> = {
	prompt: 'prompt',
	width: 'size',
	height: 'size',
	steps: 'num_inference_steps',
	frames: 'seconds',
	mask: 'mask',
};

/**
 * The coded error for a prompt that was refused, also where only the output of the config was. Undefined for an
 * accepted one. A fault in a bound value is the client's, and names the binding; others are mistakes of the workflow.
 * `image` is the parameter of the request that has the pictures.
 */
export function refusalOf(body: unknown, workflow: Workflow, image: string): PlinthError | undefined {
	const { error, node_errors: nodes } = refusalSchema.parse(body);
	const faults = Object.entries(nodes)
		.filter(([, { dependent_outputs: outputs }]) => error || outputs.includes(workflow.output))
		.flatMap(([node, { errors }]) => errors.map((fault) => ({ node, input: fault.extra_info.input_name, ...fault })));
	if (!error && faults.length === 0) return undefined;
	const told = faults.map(({ node, message, details }) => `node ${node}: ${message} (${details})`).join('; ');
	const cause = new Error(`ComfyUI refuses the workflow: ${told || error?.message}`);
	for (const { node, input, type, message: said, details } of faults) {
		const binding = workflow.bindingOf(node, input);
		const param = binding === 'image' ? image : binding && params[binding];
		if (param) {
			const message = `The workflow refuses the binding ${binding}: ${said} (${details}).`;
			return plinthError('E_VALUE_INVALID', { param, message, cause });
		}
		// A picture that the client left out was taken out of the workflow, with the inputs that read it.
		if (type === 'required_input_missing' && workflow.graph[node]?.inputs[input] !== undefined) {
			const message = `The workflow needs a further picture: its input ${input} has none.`;
			return plinthError('E_VALUE_MISSING', { param: image, message, cause });
		}
	}
	return plinthError('E_MODEL_FAILED', { cause });
}

/** The coded error for a prompt that ended without success; undefined for a successful one. */
export function failureOf({ status }: HistoryEntry): PlinthError | undefined {
	if (!status || status.status_str === 'success') return undefined;
	const messages = new Map(status.messages);
	if (messages.has('execution_interrupted')) {
		return modelError('The work was interrupted at the server of the model.');
	}
	const { node_id: node, node_type: name, exception_type: kind, ...data } = messages.get('execution_error') ?? {};
	const reason = `${kind}: ${`${data.exception_message}`.trim()}`;
	const cause = new Error(`node ${node} (${name}) failed with ${reason}`);
	return /out ?of ?memory|allocation on device/i.test(reason)
		? modelError('The server of the model has too little memory for this request.', cause)
		: plinthError('E_MODEL_FAILED', { cause });
}
