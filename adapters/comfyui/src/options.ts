import { z } from 'zod';

/** An input of a node. */
export interface Place {
	readonly node: string;
	readonly input: string;
}

/** What a request can set in a workflow. No request has a negative prompt yet. */
export type BindingName = (typeof bindingNames)[number];

const bindingNames = ['prompt', 'negative', 'seed', 'width', 'height', 'steps', 'frames', 'image', 'mask'] as const;

const place = z
	.string()
	.regex(/^.+\.inputs\..+$/s, 'Expected NODE.inputs.NAME, such as "6.inputs.text"')
	.transform((text): Place => {
		// Ids of nodes hold `:` in subgraphs, and names of inputs hold dots.
		const [node = '', ...input] = text.split('.inputs.');
		return { node, input: input.join('.inputs.') };
	});

const baseURL = z
	.string()
	.regex(
		/^https?:\/\/[^/?#@]+(?:\/[^?#]*)?$/i,
		'Expected an address such as "http://gpu-1:8188", without "@", "?" and "#"',
	)
	.transform((text) => text.replace(/\/+$/, ''));

// Configs in YAML hold `${NAME}`, which arrives as a string.
const seconds = () => z.coerce.number<number | string>().positive().max(86_400);

/** The options of both kinds of models. */
export const commonOptions = {
	/** The address of ComfyUI: `http://gpu-1:8188`. Of several, the one with the shortest queue gets the next prompt. */
	baseURL: z.union([baseURL, z.array(baseURL).min(1)]).transform((value) => [...new Set([value].flat())]),
	/** Headers of every request, such as `authorization` for a proxy. */
	headers: z
		.record(
			z.string().regex(/^[\w!#$%&'*+.^`|~-]+$/, 'The name of a header has other characters'),
			z.string().regex(/^[\t\x20-\x7e]*$/, 'The value of a header has other characters'),
		)
		.default({}),
	/** The file of the workflow, exported in API format. */
	workflow: z.string().min(1),
	/**
	 * Where the values of `prompt`, `negative`, `seed`, `width`, `height`, `steps`, `frames`, `image` and `mask` go, as
	 * `NODE.inputs.NAME`. A list: the same value in several places, or several pictures.
	 */
	bindings: z.partialRecord(
		z.enum(bindingNames),
		z.union([place, z.array(place).min(1)]).transform((value) => [value].flat()),
	),
	/** The node whose file is the result. */
	output: z.union([z.string().min(1), z.number().int()]).transform(String),
	/** Whether files keep what ComfyUI writes into them: the prompt and the whole workflow. */
	keepMetadata: z.union([z.boolean(), z.stringbool({ truthy: ['true'], falsy: ['false'] })]).default(false),
	/** Seconds without work after which the server releases the memory of its models. Unset: it keeps them. */
	idleSeconds: seconds().optional(),
	/** Maximum seconds without a response of the server. */
	timeoutSeconds: seconds().default(60),
};

const common = z.strictObject(commonOptions);

/** The checked options of both kinds of models. */
export type CommonOptions = z.output<typeof common>;
