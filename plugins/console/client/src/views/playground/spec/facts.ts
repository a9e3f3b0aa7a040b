import type { FieldSpec } from './fields.ts';

/** The capabilities of a model, as `/v1/models` returns them. */
export type Facts = Readonly<Record<string, unknown>>;

/** The facts that list the possible values of a parameter. */
const listOf: Readonly<Record<string, string>> = {
	size: 'sizes',
	seconds: 'seconds',
	voice: 'voices',
	language: 'languages',
	response_format: 'formats',
	output_format: 'formats',
};

/** Parameters that a model does not use if a fact is `false`. */
const neededFacts: Readonly<Record<string, string>> = {
	input_reference: 'input_reference',
	mask: 'mask',
	tools: 'tools',
	tool_choice: 'tools',
	parallel_tool_calls: 'tools',
	logprobs: 'logprobs',
	top_logprobs: 'logprobs',
};

/** The fields of a form for the chosen model: only those that it uses, with its options. */
export function fieldsForModel(fields: readonly FieldSpec[], facts: Facts): readonly FieldSpec[] {
	return fields
		.filter(({ name }) => facts[neededFacts[name] ?? ''] !== false)
		.map((field) => withOptions(field, optionsOf(field, facts)));
}

function optionsOf(field: FieldSpec, facts: Facts): readonly string[] | undefined {
	const { name, options, fallback } = field;
	if (name === 'background' && facts.transparent_background === false) {
		return options.filter((option) => option !== 'transparent');
	}
	if (name === 'timestamp_granularities') return options.filter((option) => facts[`${option}s`] !== false);
	const list = facts[listOf[name] ?? ''];
	if (!Array.isArray(list) || list.length === 0) return undefined;
	const listed = list.map(String);
	// The fact `formats` lists the formats of pictures and of audio. Formats of another parameter are left out.
	const usable = name.endsWith('_format') ? listed.filter((each) => options.includes(each)) : listed;
	if (usable.length === 0) return undefined;
	return fallback === 'auto' && !usable.includes('auto') ? ['auto', ...usable] : usable;
}

function withOptions(field: FieldSpec, options: readonly string[] | undefined): FieldSpec {
	if (!options) return field;
	const { kind, fallback } = field;
	const hasFallback = fallback === undefined || options.includes(String(fallback));
	return {
		...field,
		kind: kind === 'checks' ? kind : 'choice',
		options,
		// The server uses the first option too.
		fallback: hasFallback ? fallback : options[0],
	};
}
