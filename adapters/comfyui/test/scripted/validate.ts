import type { NodeClass } from './classes.ts';

/** A prompt in API format. */
export type Prompt = Readonly<Record<string, PromptNode>>;

export interface PromptNode {
	readonly class_type: string;
	readonly inputs: Readonly<Record<string, unknown>>;
}

/** What is wrong with an input, as ComfyUI says it. */
interface Fault {
	readonly type: string;
	readonly message: string;
	readonly details: string;
	readonly extra_info: { readonly input_name: string; readonly received_value?: unknown };
}

interface NodeErrors {
	readonly errors: Fault[];
	readonly dependent_outputs: string[];
	readonly class_type: string;
}

/** The outcome of `validate_prompt`: the outputs that can be made, and what is wrong with the others. */
export interface Validation {
	readonly error: Readonly<Record<string, unknown>> | null;
	readonly outputs: readonly string[];
	readonly nodeErrors: Readonly<Record<string, NodeErrors>>;
}

/** Validates a prompt as `execution.py` does: each output with all that it stands on; valid ones are kept. */
export function validatePrompt(prompt: Prompt, classes: Readonly<Record<string, NodeClass>>): Validation {
	for (const [id, { class_type: name }] of Object.entries(prompt)) {
		if (!classes[name]) {
			return refusal(
				'missing_node_type',
				`Node '${name}' not found. The custom node may not be installed.`,
				`Node ID '#${id}'`,
			);
		}
	}
	const outputs = Object.keys(prompt).filter((id) => classes[prompt[id]?.class_type ?? '']?.isOutput);
	if (outputs.length === 0) return refusal('prompt_no_outputs', 'Prompt has no outputs', '');
	const nodeErrors: Record<string, NodeErrors> = {};
	const good = outputs.filter((output) => {
		let isGood = true;
		for (const id of standsOn(prompt, output)) {
			const node = prompt[id] as PromptNode;
			const errors = faultsOf(node, classes[node.class_type] as NodeClass);
			if (errors.length === 0) continue;
			isGood = false;
			nodeErrors[id] ??= { errors, dependent_outputs: [], class_type: node.class_type };
			nodeErrors[id].dependent_outputs.push(output);
		}
		return isGood;
	});
	const error =
		good.length > 0
			? null
			: {
					type: 'prompt_outputs_failed_validation',
					message: 'Prompt outputs failed validation',
					details: '',
					extra_info: {},
				};
	return { error, outputs: good, nodeErrors };
}

/** A node and all nodes that it reads, those first that are read. */
export function standsOn(prompt: Prompt, id: string, found: string[] = []): readonly string[] {
	const node = prompt[id];
	if (!node || found.includes(id)) return found;
	for (const value of Object.values(node.inputs)) if (Array.isArray(value)) standsOn(prompt, `${value[0]}`, found);
	found.push(id);
	return found;
}

function faultsOf({ inputs }: PromptNode, { required, optional = {} }: NodeClass): Fault[] {
	return Object.entries({ ...optional, ...required }).flatMap(([name, [type, bounds]]) => {
		const value = inputs[name];
		const fault = (kind: string, message: string): Fault[] => [
			{ type: kind, message, details: name, extra_info: { input_name: name, received_value: value } },
		];
		if (value === undefined)
			return name in required ? fault('required_input_missing', 'Required input is missing') : [];
		if (Array.isArray(value)) return value.length === 2 ? [] : fault('bad_linked_input', 'Bad linked input');
		if (type !== 'INT') return [];
		const number = Number.parseInt(`${value}`, 10);
		if (Number.isNaN(number)) return fault('invalid_input_type', 'Failed to convert an input value to a INT value');
		if (bounds && number < bounds.min)
			return fault('value_smaller_than_min', `Value ${number} smaller than min of ${bounds.min}`);
		if (bounds && number > bounds.max)
			return fault('value_bigger_than_max', `Value ${number} bigger than max of ${bounds.max}`);
		return [];
	});
}

function refusal(type: string, message: string, details: string): Validation {
	return { error: { type, message, details, extra_info: {} }, outputs: [], nodeErrors: {} };
}
