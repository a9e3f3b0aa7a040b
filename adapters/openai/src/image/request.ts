import type { ImageEditRequest, ImageRequest } from '@plinth/plugin-image/model';
import type { Fields } from '../upstream/request.ts';
import type { ImageDialect } from './dialects.ts';

/** Inputs of the translation. */
export interface ImageWire {
	readonly model: string;
	readonly dialect: ImageDialect;
	readonly seed: number;
	/** Number of partial pictures; 0: no streaming. */
	readonly partials: number;
}

/** Parameters of the client that an error may name. */
export const imageParams: ReadonlySet<string> = new Set([
	'prompt',
	'n',
	'size',
	'quality',
	'background',
	'output_format',
	'output_compression',
	'moderation',
	'input_fidelity',
	'num_inference_steps',
	'image',
	'mask',
	'user',
]);

/** The common members of generations and edits. */
export function wireFields(request: ImageRequest, wire: ImageWire): Fields {
	const { dialect, model, seed, partials } = wire;
	const { size, steps } = request;
	const stepsName = dialect.steps === 'prompt' ? undefined : dialect.steps;
	return {
		model,
		prompt: promptOf(request, wire),
		n: request.count,
		size: size ? `${size.width}x${size.height}` : undefined,
		background: dialect.transparency && request.background !== 'auto' ? request.background : undefined,
		...(dialect.supportsOutputOptions ? outputOptions(request) : {}),
		response_format: dialect.requestsBase64 ? 'b64_json' : undefined,
		seed: dialect.seed === 'field' ? seed : undefined,
		...(stepsName ? { [stepsName]: steps } : {}),
		user: request.user,
		...(partials > 0 ? { stream: true, partial_images: partials } : {}),
	};
}

/** Warnings about options that the server does not support. */
export function ignoredOptions(request: ImageRequest, dialect: ImageDialect): readonly string[] {
	const options: readonly (readonly [string, boolean])[] = [
		['num_inference_steps', request.steps !== undefined && dialect.steps === undefined],
		['style', request.style !== undefined],
		['quality', request.quality !== 'auto' && !dialect.supportsOutputOptions],
		['moderation', request.moderation !== 'auto' && !dialect.supportsOutputOptions],
	];
	return options.filter(([, isIgnored]) => isIgnored).map(([name]) => `${name}: this model does not support it.`);
}

/** Only values that differ from the defaults of servers: some servers refuse unknown members. */
function outputOptions(request: ImageRequest | ImageEditRequest): Fields {
	const { quality, format, compression, moderation } = request;
	const isLossy = format !== 'png';
	return {
		quality: quality === 'auto' ? undefined : quality,
		output_format: isLossy ? format : undefined,
		output_compression: isLossy && compression < 100 ? compression : undefined,
		moderation: moderation === 'auto' ? undefined : moderation,
		input_fidelity: 'fidelity' in request && request.fidelity === 'high' ? 'high' : undefined,
	};
}

/**
 * Adds the parameters of sd-server, which are JSON between two tags in the prompt. The name of the tags is removed from
 * the text of the client, whose parameters could name files of the server.
 */
function promptOf({ prompt, steps }: ImageRequest, { dialect, seed }: ImageWire): string {
	if (dialect.seed !== 'prompt') return prompt;
	// The space prevents that the rest forms the name again.
	const text = prompt.replace(/sd_cpp_extra_args/gi, ' ');
	const parameters = { seed, ...(steps === undefined ? {} : { sample_params: { sample_steps: steps } }) };
	return `${text} <sd_cpp_extra_args>${JSON.stringify(parameters)}</sd_cpp_extra_args>`;
}
