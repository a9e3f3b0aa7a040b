import type { BoundModel, Call, ForwardRequest, Models, RawBody, Reply } from '@plinth/core';
import { isPlinthError, PlinthError } from '@plinth/core';

/**
 * Passes a request through to the upstream of the model that it names, or of whichever model takes over. `laneOf` says with which request; undefined, or a coded error, is a model that cannot be
 * given it as it came. Resolves with undefined where the request is to go the ordinary way: the model is not known, there is no lane, or the model has failed (`E_MODEL_FAILED`,
 * `E_MODEL_BUSY`, `E_MODEL_UNAVAILABLE`) before its answer had begun, because the ordinary way has retries, unless the lane says that it must not ask again. Rejects with everything else.
 */
export async function tryPassthrough<M>(
	models: Models<M>,
	raw: RawBody,
	call: Call,
	laneOf: (bound: BoundModel<M>) => ForwardRequest | undefined,
): Promise<Reply | undefined> {
	const named = modelOf(models, raw.model);
	// Before its turn: who has no lane would wait in line for nothing, and then once more.
	const lane = named && laneFor(named, laneOf);
	if (!lane) return undefined;
	let last = lane;
	try {
		return await models.ask(raw.model, call, async (turn) => {
			const request = turn.model === named.model ? lane : laneFor(turn, laneOf);
			if (!request) throw new PlinthError(noLane.code, noLane.spec);
			last = request;
			// A signal is made when it is asked for: not on the way of every request.
			return call.forward(request, turn.keepSlot(), turn.isTimed ? turn.signal : undefined);
		});
	} catch (error) {
		if (!isPlinthError(error) || !ordinary.has(error.code)) throw error;
		if (error.code !== noLane.code && last.mayRepeat?.() === false) throw error;
		return undefined;
	}
}

/** No failure of a model and no mistake of a client: nobody else is asked, and nobody hears of it. */
const noLane = {
	code: 'E_NO_LANE',
	spec: { status: 500, code: null, type: 'server_error', message: 'The model has no lane.' },
} as const;

const ordinary = new Set<string>([
	noLane.code,
	'E_MODEL_FAILED',
	'E_MODEL_BUSY',
	'E_MODEL_UNAVAILABLE',
]);

function modelOf<M>(models: Models<M>, id: string): BoundModel<M> | undefined {
	try {
		return models.get(id);
	} catch (error) {
		if (isPlinthError(error)) return undefined;
		throw error;
	}
}

/** What a lane refuses, the ordinary way refuses in better words. */
function laneFor<M>(
	bound: BoundModel<M>,
	laneOf: (bound: BoundModel<M>) => ForwardRequest | undefined,
): ForwardRequest | undefined {
	try {
		return laneOf(bound);
	} catch (error) {
		if (isPlinthError(error)) return undefined;
		throw error;
	}
}
