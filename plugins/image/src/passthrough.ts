import type { Call, RawBody, Reply } from '@plinth/core';
import { parseUnchanged, type RequestFor, tryPassthrough } from '@plinth/toolkit';
import type { ImageContext } from './context.ts';
import type { ImageModel } from './model.ts';
import { type GenerationBody, generationBody } from './request/fields.ts';
import { checkAbilities, checkConflicts } from './request/model-request.ts';
import { isSupportedSize, parseSize } from './request/sizes.ts';

/** Passes a generation through to its model's upstream, if possible. It counts against the request limit. */
export async function tryImagePassthrough(
	{ models, requestLimit }: ImageContext,
	raw: RawBody,
	call: Call,
): Promise<Reply | undefined> {
	const release = requestLimit.acquire();
	let reply: Reply | undefined;
	try {
		reply = await tryPassthrough(models, raw, call, imagePassthrough(raw));
	} finally {
		if (reply?.type !== 'forward') release();
	}
	if (reply?.type === 'forward') reply.done.then(release);
	return reply;
}

/** Forwards only checked members, for pictures that need no processing. Throws the translation's 400 errors. */
function imagePassthrough(raw: RawBody): RequestFor<ImageModel> {
	let body: GenerationBody | undefined;
	return (bound) => {
		const { model } = bound;
		if (!model.forward) return undefined;
		body ??= parseUnchanged(generationBody, raw.value);
		if (!body || !isPlain(body, raw)) return undefined;
		const { abilities = {} } = model;
		const size = parseSize(body.size);
		if (body.n > (abilities.count ?? 1) || (size && !isSupportedSize(abilities, size))) return undefined;
		checkConflicts(body);
		checkAbilities(bound, 'generate', body);
		return model.forward(raw);
	};
}

/** Upstreams do not know the aliases of `quality`. Partial images exist in streams only. */
function isPlain(body: GenerationBody, { names }: RawBody): boolean {
	return (
		!body.stream &&
		!names.includes('partial_images') &&
		body.response_format === 'b64_json' &&
		['auto', 'low', 'medium', 'high'].includes(body.quality)
	);
}
