import type { BoundModel, Call, ForwardRequest, RawBody, Reply } from '@plinth/core';
import { parseUnchanged, tryPassthrough } from '@plinth/toolkit';
import type { ImageContext } from './context.ts';
import type { ImageModel } from './model.ts';
import { type GenerationBody, generationBody } from './request/fields.ts';
import { checkAbilities, checkConflicts } from './request/model-request.ts';
import { isSupportedSize, parseSize } from './request/sizes.ts';

/** Passes a generation through where a model's upstream can be given it as it came. It counts among those that are worked on, as on the ordinary way. */
export async function throughImageLane(
	{ models, requestLimit }: ImageContext,
	raw: RawBody,
	call: Call,
): Promise<Reply | undefined> {
	const leave = requestLimit.acquire();
	let reply: Reply | undefined;
	try {
		reply = await tryPassthrough(models, raw, call, imageLanes(raw));
	} finally {
		if (reply?.type !== 'forward') leave();
	}
	if (reply?.type === 'forward') reply.done.then(leave);
	return reply;
}

/** The lanes of one request: only members that are checked here, and nothing that would be left to do with the pictures. Throws 400 errors where the ordinary way does. */
function imageLanes(raw: RawBody): (bound: BoundModel<ImageModel>) => ForwardRequest | undefined {
	let body: GenerationBody | undefined;
	return (bound) => {
		const { model } = bound;
		if (!model.forward) return undefined;
		body ??= parseUnchanged(generationBody, raw.value);
		if (!body || !isPlain(body, raw)) return undefined;
		const { abilities = {} } = model;
		const size = parseSize(body.size);
		if (body.n > (abilities.count ?? 1) || (size && !isSupportedSize(abilities, size)))
			return undefined;
		checkConflicts(body);
		checkAbilities(bound, 'generate', body);
		return model.forward(raw);
	};
}

/** Other qualities are names of our own; unfinished states mean something in streams alone. */
function isPlain(body: GenerationBody, { names }: RawBody): boolean {
	return (
		!body.stream &&
		!names.includes('partial_images') &&
		body.response_format === 'b64_json' &&
		['auto', 'low', 'medium', 'high'].includes(body.quality)
	);
}
