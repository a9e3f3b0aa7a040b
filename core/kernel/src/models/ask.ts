import { plinthError } from '../contract/errors/coded-error.ts';
import type { ModelCaller } from '../contract/plugin.ts';
import { codeOf, isModelFailure, isRefusal, retryAfter } from './failures.ts';
import type { GuardedModel } from './guarded-model.ts';
import { type ModelWork, OpenCall } from './model-call.ts';

/** A model that may serve a call. */
export interface Candidate {
	readonly model: GuardedModel;
	/** True for a model of the fallback chain: the caller has not named it. */
	readonly isFallback: boolean;
}

/** Calls a model that has neither bounds nor fallback. */
export async function callDirectly<T>({ bound }: GuardedModel, caller: ModelCaller, work: ModelWork<T>): Promise<T> {
	caller.answeredBy?.(bound.id);
	try {
		return await work(new OpenCall(bound, caller));
	} catch (error) {
		if (isModelFailure(error)) caller.signal.throwIfAborted();
		throw error;
	}
}

/**
 * Calls one candidate after the other until `work` resolves, or the model refuses the request. A refusal by a
 * fallback does not end the search, and does not hide the failure of the named model. Rejects with the last failure,
 * or with `E_MODEL_UNAVAILABLE` when the circuits of all candidates are open.
 */
export async function callWithFallback<T>(
	candidates: Iterable<Candidate>,
	caller: ModelCaller,
	work: ModelWork<T>,
): Promise<T> {
	let failed: { readonly model: string; readonly error: unknown } | undefined;
	let waitMs = Number.POSITIVE_INFINITY;
	for (const { model, isFallback } of candidates) {
		const { id } = model.bound;
		try {
			const permit = await model.acquire(caller);
			if (!permit) {
				waitMs = Math.min(waitMs, model.waitMs);
				continue;
			}
			// Nobody else hears of a failure that another model makes up for.
			if (failed) {
				const { model: from, error } = failed;
				const fields = { model: from, next: id, code: codeOf(error), err: error };
				caller.log.info(fields, 'falling back to another model');
			}
			return await model.call(permit, caller, work);
		} catch (error) {
			const isFailure = isModelFailure(error);
			if (!isFailure && !(isFallback && isRefusal(error))) throw error;
			caller.signal.throwIfAborted();
			if (isFailure) failed = { model: id, error };
		}
	}
	throw failed ? failed.error : plinthError('E_MODEL_UNAVAILABLE', { headers: retryAfter(waitMs) });
}
