import { z } from 'zod';

/** What a request can set in a workflow. */
export type BindingName = 'prompt' | 'negative' | 'seed' | 'width' | 'height' | 'steps' | 'frames' | 'image' | 'mask';

/** An input of a node. */
export interface Place {
	readonly node: string;
	readonly input: string;
}

// Configs in YAML hold `${NAME}`, which arrives as a string.
const seconds = () => z.coerce.number<number | string>().positive().max(86_400);

const split = '.inputs.';

const place = z
	.string()
	.regex(/^.+\.inputs\..+$/s, 'Expected NODE.inputs.NAME, such as "6.inputs.text"')
	.transform((text): Place => {
		// Ids of nodes hold `:` in subgraphs, and names of inputs hold dots.
		const at = text.indexOf(split);
		return { node: text.slice(0, at), input: text.slice(at + split.length) };
	});

const places = z
	.union([place, z.array(place).min(1)])
	.transform((value) => [value].flat())
	.optional();

const baseURL = z
	.string()
	.refine(isBaseURL, 'Expected an address such as "http://gpu-1:8188", without user name, "?" and "#"')
	.transform((text) => text.replace(/\/+$/, ''));

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
	/** Where values go, as `NODE.inputs.NAME`. A list: the same value in several places, or several pictures. */
	bindings: z.strictObject({
		/** The client's prompt. */
		prompt: places,
		/** No request has one yet: the text of the workflow stays. */
		negative: places,
		/** A number up to 4,294,967,295. */
		seed: places,
		/** From `size`. */
		width: places,
		/** From `size`. */
		height: places,
		/** Images: from `num_inference_steps`. */
		steps: places,
		/** Videos: from `seconds`, `fps` and `frameRule`. */
		frames: places,
		/** Uploaded pictures, in order. */
		image: places,
		/** Images: the mask of an edit. */
		mask: places,
	}),
	/** The node whose file is the result. */
	output: z.union([z.string().min(1), z.number().int()]).transform(String),
	/** Seconds without work after which the server releases the memory of its models. Unset: it keeps them. */
	idleSeconds: seconds().optional(),
	/** Maximum seconds without a response of the server. */
	timeoutSeconds: seconds().default(60),
};

const common = z.strictObject(commonOptions);

/** The checked options of both kinds of models. */
export type CommonOptions = z.output<typeof common>;

function isBaseURL(text: string): boolean {
	const url = URL.parse(text);
	if (!url || !/^https?:$/.test(url.protocol)) return false;
	return `${url.username}${url.password}${url.search}${url.hash}` === '';
}
