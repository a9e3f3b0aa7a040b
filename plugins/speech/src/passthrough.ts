import type { RawBody } from '@plinth/core';
import { parseUnchanged, type RequestFor } from '@plinth/toolkit';
import type { SpeechBody, SpeechBodySchema } from './fields.ts';
import type { SpeechModel } from './model.ts';
import { checkVoice } from './voice.ts';

/**
 * The request to a model's upstream when a request passes through unchanged. It needs a format from the client, because
 * upstreams have other defaults, and only members that are checked here. Throws the same 400 errors as a translation.
 */
export function speechPassthrough(raw: RawBody, schema: SpeechBodySchema): RequestFor<SpeechModel> {
	let body: SpeechBody | undefined;
	return ({ model }) => {
		if (!model.forward || !canPassThrough(raw)) return undefined;
		body ??= parseUnchanged(schema, raw.value);
		if (!body) return undefined;
		checkVoice(model, body.voice);
		return model.forward(raw);
	};
}

function canPassThrough({ names }: RawBody): boolean {
	return names.includes('response_format') && !names.includes('stream_format');
}
