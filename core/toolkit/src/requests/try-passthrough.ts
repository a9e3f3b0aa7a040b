import type { BoundModel, Call, ForwardRequest, Models, RawBody, Reply } from '@plinth/core';
import { isPlinthError, PlinthError } from '@plinth/core';

/** Makes the request to a model's upstream. Undefined or a coded error: the model cannot receive the unchanged body. */
export type RequestFor<M> = (bound: BoundModel<M>) => ForwardRequest | undefined;

/**
 * Passes a request through to the upstream of the model that it names, or of a fallback model. Resolves with undefined
 * when the request should be translated: the model is unknown, cannot receive the unchanged body, or failed before
 * its response started (`E_MODEL_FAILED`, `E_MODEL_BUSY`, `E_MODEL_UNAVAILABLE`) and the request may be repeated: a
 * translated request is sent again. Rejects with every other error.
 */
export async function tryPassthrough<M>(
	models: Models<M>,
	raw: RawBody,
	call: Call,
	requestFor: RequestFor<M>,
): Promise<Reply | undefined> {
	const named = unlessCoded(() => models.get(raw.model));
	// Before the wait for a slot: without a request, the translation would have to wait for a slot again.
	const firstRequest = named && unlessCoded(() => requestFor(named));
	if (!firstRequest) return undefined;
	let lastRequest = firstRequest;
	try {
		return await models.ask(raw.model, call, async (turn) => {
			const request = turn.model === named.model ? firstRequest : unlessCoded(() => requestFor(turn));
			if (!request) throw new PlinthError(noPassthrough.code, noPassthrough.spec);
			lastRequest = request;
			// Reading `signal` creates it, and most requests need none.
			return await call.forward(request, turn.keepSlot(), turn.isTimed ? turn.signal : undefined);
		});
	} catch (error) {
		if (!isPlinthError(error) || !translatable.has(error.code)) throw error;
		if (error.code !== noPassthrough.code && lastRequest.mayRepeat?.() === false) throw error;
		return undefined;
	}
}

/** Neither the model nor the client is at fault, so no other model is called. `tryPassthrough` catches the error. */
const noPassthrough = {
	code: 'E_NO_PASSTHROUGH',
	spec: { status: 500, code: null, type: 'server_error', message: 'The model has no passthrough.' },
} as const;

const translatable = new Set<string>([noPassthrough.code, 'E_MODEL_FAILED', 'E_MODEL_BUSY', 'E_MODEL_UNAVAILABLE']);

/** Ignores coded errors, because the translation reports them with better messages. */
function unlessCoded<T>(make: () => T): T | undefined {
	try {
		return make();
	} catch (error) {
		if (isPlinthError(error)) return undefined;
		throw error;
	}
}
