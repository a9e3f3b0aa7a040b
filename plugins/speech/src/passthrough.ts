import type { RawBody } from '@plinth/core';
import { parseUnchanged, type RequestFor } from '@plinth/toolkit';
import type { SpeechBody, SpeechBodySchema } from './fields.ts';
import type { SpeechModel } from './model.ts';
import { checkVoice } from './voice.ts';

/**
 * What a model's upstream is sent when a request passes through: only members that are checked here, and a format that
 * the client names, because upstreams have defaults of their own. Throws the translation's 400 errors.
 */
export function speechPassthrough(raw: RawBody, schema: SpeechBodySchema): RequestFor<SpeechModel> {
	let body: SpeechBody | undefined;
	return ({ model }) => {
		if (!model.forward || !isPlain(raw)) return undefined;
		body ??= parseUnchanged(schema, raw.value);
		if (!body) return undefined;
		checkVoice(model, body.voice);
		return model.forward(raw);
	};
}

function isPlain({ names }: RawBody): boolean {
	return names.includes('response_format') && !names.includes('stream_format');
}
