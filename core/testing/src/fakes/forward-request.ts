import type { ForwardDispatcher, ForwardRequest, RawBody } from '@plinth/core';
import { modelError, plinthError } from '@plinth/core';

/**
 * A request for an upstream model named `theirs`, as a model's `forward` returns it. `changes` replace its members. Its
 * dispatcher never responds unless it is replaced.
 */
export function forwardRequest(raw: RawBody, changes: Partial<ForwardRequest> = {}): ForwardRequest {
	return {
		dispatcher: { dispatch: () => true },
		origin: 'http://upstream.test',
		path: '/',
		headers: [],
		body: raw.withModel('theirs'),
		quietMs: 60_000,
		accepts: () => true,
		refused: () => modelError('The upstream failed.'),
		lost: (cause) => modelError('The upstream is gone.', cause),
		silent: () => plinthError('E_MODEL_TIMEOUT'),
		unfit: () => modelError('The upstream says something else.'),
		...changes,
	};
}

/** An upstream that responds to every request with the same text, and ends the response once `end` has resolved. */
export function answering(
	text: string,
	mediaType = 'application/json',
	end: Promise<void> = Promise.resolve(),
): ForwardDispatcher {
	return {
		dispatch(_, handler) {
			handler.onRequestStart(controller, null);
			handler.onResponseStart(controller, 200, { 'content-type': mediaType });
			handler.onResponseData(controller, Buffer.from(text));
			end.then(() => handler.onResponseEnd(controller, {}));
			return true;
		},
	};
}

/** An upstream whose connection is lost before it responds. */
export const losing: ForwardDispatcher = {
	dispatch(_, handler) {
		handler.onRequestStart(controller, null);
		handler.onResponseError(controller, new Error('reset'));
		return true;
	},
};

const controller = { abort() {}, pause() {}, resume() {} };
