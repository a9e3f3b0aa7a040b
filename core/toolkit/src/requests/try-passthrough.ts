import type { BoundModel, Call, ForwardRequest, Models, RawBody, Reply } from '@plinth/core';
import { isPlinthError, PlinthError } from '@plinth/core';

/** The request for a model's upstream. Undefined, or a coded error: the model cannot be given the body as it came. */
export type RequestFor<M> = (bound: BoundModel<M>) => ForwardRequest | undefined;

/**
 * Passes a request through to the upstream of the model that it names, or of the model that takes over. Resolves with
 * undefined when the request should be translated: the model is unknown, it cannot be given the body as it came, or it
 * failed before its response began (`E_MODEL_FAILED`, `E_MODEL_BUSY`, `E_MODEL_UNAVAILABLE`) and the request may be
 * repeated: translated requests are retried. Rejects with every other error.
 */
export async function tryPassthrough<M>(
	models: Models<M>,
	raw: RawBody,
	call: Call,
	requestFor: RequestFor<M>,
): Promise<Reply | undefined> {
	const named = modelOf(models, raw.model);
	// Before a slot is waited for: without a request the wait would come twice.
	const first = named && requestOrNone(named, requestFor);
	if (!first) return undefined;
	let last = first;
	try {
		return await models.ask(raw.model, call, async (turn) => {
			const request = turn.model === named.model ? first : requestOrNone(turn, requestFor);
			if (!request) throw new PlinthError(noPassthrough.code, noPassthrough.spec);
			last = request;
			// A signal is made when it is asked for: most requests need none.
			return await call.forward(request, turn.keepSlot(), turn.isTimed ? turn.signal : undefined);
		});
	} catch (error) {
		if (!isPlinthError(error) || !translatable.has(error.code)) throw error;
		if (error.code !== noPassthrough.code && last.mayRepeat?.() === false) throw error;
		return undefined;
	}
}

/** Neither the model nor the client is at fault: no other model is asked, and the error is not reported. */
const noPassthrough = {
	code: 'E_NO_PASSTHROUGH',
	spec: { status: 500, code: null, type: 'server_error', message: 'The model has no passthrough.' },
} as const;

const translatable = new Set<string>([noPassthrough.code, 'E_MODEL_FAILED', 'E_MODEL_BUSY', 'E_MODEL_UNAVAILABLE']);

function modelOf<M>(models: Models<M>, id: string): BoundModel<M> | undefined {
	return unlessCoded(() => models.get(id));
}

/** An error here is told by the translation, in better words. */
function requestOrNone<M>(bound: BoundModel<M>, requestFor: RequestFor<M>): ForwardRequest | undefined {
	return unlessCoded(() => requestFor(bound));
}

function unlessCoded<T>(make: () => T): T | undefined {
	try {
		return make();
	} catch (error) {
		if (isPlinthError(error)) return undefined;
		throw error;
	}
}
