import { z } from 'zod';

/** The values that a request can set in a workflow. No request has a negative prompt yet. */
export const binding = z.enum(['prompt', 'negative', 'seed', 'width', 'height', 'steps', 'frames', 'image', 'mask']);
export type BindingName = z.output<typeof binding>;

const inputPath = z.string().regex(/^.+\.inputs\..+$/s, 'Expected NODE.inputs.NAME, such as "6.inputs.text"');

const headerName = z.string().regex(/^[\w!#$%&'*+.^`|~-]+$/, 'The name of a header has other characters');
const headerValue = z.string().regex(/^[\t\x20-\x7e]*$/, 'The value of a header has other characters');
const wrongURL = 'Expected an address such as "http://gpu-1:8188", without "@", "?" and "#"';
const address = z.string().regex(/^https?:\/\/[^/?#@]+(?:\/[^?#]*)?$/i, wrongURL);
const baseURL = address.transform((text) => text.replace(/\/+$/, ''));

// In YAML configs, the value of `${NAME}` is a string.
const seconds = () => z.coerce.number<number | string>().positive().max(86_400);

/** The options of both kinds of models. */
export const commonOptions = {
	/** The address of ComfyUI: `http://gpu-1:8188`. Of several, that with the shortest queue gets the next prompt. */
	baseURL: z.union([baseURL, z.array(baseURL).min(1)]).transform((value) => [...new Set([value].flat())]),
	/** Headers of every request, such as `authorization` for a proxy. */
	headers: z.record(headerName, headerValue).default({}),
	/** The file of the workflow, exported in API format. */
	workflow: z.string().min(1),
	/**
	 * The inputs that receive `prompt`, `negative`, `seed`, `width`, `height`, `steps`, `frames`, `image` and `mask`, as
	 * `NODE.inputs.NAME`. A list: several inputs with the same value, or with one picture each.
	 */
	bindings: z.partialRecord(binding, z.union([inputPath, z.array(inputPath).min(1)])),
	/** The node whose file is the result. */
	output: z.union([z.string().min(1), z.number().int()]).transform(String),
	/** Whether files keep the metadata that ComfyUI writes: the prompt and the whole workflow. */
	keepMetadata: z.union([z.boolean(), z.stringbool({ truthy: ['true'], falsy: ['false'] })]).default(false),
	/** Seconds without work after which the server releases the memory of its models. Unset: it keeps the models. */
	idleSeconds: seconds().optional(),
	/** Maximum seconds without a response of the server. */
	timeoutSeconds: seconds().default(60),
};

/** The checked options of both kinds of models. */
export type CommonOptions = z.output<z.ZodObject<typeof commonOptions>>;
