import type { ImageEditRequest, ImageRequest } from '@plinth/plugin-image/model';
import type { Fields } from '../upstream/request.ts';
import type { ImageDialect } from './dialects.ts';

/** What a request is translated with. */
export interface ImageWire {
	readonly model: string;
	readonly dialect: ImageDialect;
	readonly seed: number;
	/** Unfinished states that are to be shown; 0: the answer comes whole. */
	readonly partials: number;
}

/** Client parameters that a refusal may name. */
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

/** The members that generations and edits have in common. */
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
		...(dialect.knowsFinish ? finishOf(request) : {}),
		response_format: dialect.asksForBase64 ? 'b64_json' : undefined,
		seed: dialect.seed === 'field' ? seed : undefined,
		...(stepsName ? { [stepsName]: steps } : {}),
		user: request.user,
		...(partials > 0 ? { stream: true, partial_images: partials } : {}),
	};
}

/** What of a request the server does not know, one sentence each. */
export function ignoredOptions(request: ImageRequest, dialect: ImageDialect): readonly string[] {
	const lost: readonly (readonly [string, boolean])[] = [
		['num_inference_steps', request.steps !== undefined && dialect.steps === undefined],
		['style', request.style !== undefined],
		['quality', request.quality !== 'auto' && !dialect.knowsFinish],
		['moderation', request.moderation !== 'auto' && !dialect.knowsFinish],
	];
	return lost.filter(([, isLost]) => isLost).map(([name]) => `${name}: the server of the model does not know it.`);
}

/** Only what differs from what servers do anyway: the fewer members, the more of them understand the request. */
function finishOf(request: ImageRequest | ImageEditRequest): Fields {
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
 * sd-server takes its own parameters as JSON between two marks in the prompt. Clients must not write them: they could
 * name files of that server.
 */
function promptOf({ prompt, steps }: ImageRequest, { dialect, seed }: ImageWire): string {
	if (dialect.seed !== 'prompt') return prompt;
	let words = prompt;
	// Again, because what is left when a mark is gone may be one.
	while (mark.test(words)) words = words.replace(mark, ' ');
	const own = { seed, ...(steps === undefined ? {} : { sample_params: { sample_steps: steps } }) };
	return `${words} <sd_cpp_extra_args>${JSON.stringify(own)}</sd_cpp_extra_args>`;
}

const mark = /<\s*\/?\s*sd_cpp_extra_args\s*>/i;
