import type { JsonObject } from '@plinth/core';

/** The `logprobs` of a choice; null without tokens. */
export function wireLogprobs(tokens: readonly JsonObject[] = []) {
	return tokens.length > 0 ? { content: [...tokens], refusal: null } : null;
}
