import type { BoundModel, ForwardRequest, RawBody } from '@plinth/core';
import { parseUnchanged } from '@plinth/toolkit';
import type { SpeechBody, SpeechBodySchema } from './fields.ts';
import type { SpeechModel } from './model.ts';
import { checkVoice } from './voice.ts';

/**
 * The lanes of one request: only members that are checked here, and a format that the client names itself, because upstreams have defaults of their own. Throws 400 errors where the
 * ordinary way does.
 */
export function speechLanes(
	raw: RawBody,
	schema: SpeechBodySchema,
): (bound: BoundModel<SpeechModel>) => ForwardRequest | undefined {
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
