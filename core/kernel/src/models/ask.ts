import { plinthError } from '../contract/errors/coded-error.ts';
import type { ModelCall, ModelCaller } from '../contract/plugin.ts';
import { codeOf, isModelFailure, isRefusal } from './failures.ts';
import type { GuardedModel } from './guarded-model.ts';
import { Turn } from './model-call.ts';
import { retryAfter } from './retry-after.ts';

/** A model that may do what was asked of another. */
export interface Candidate {
	readonly model: GuardedModel;
	/** True when it is none of those that the caller named. */
	readonly isStandIn: boolean;
}

interface Failure {
	readonly model: string;
	readonly error: unknown;
}

/** Asks a model that nothing bounds and that nobody stands in for: at the cost of little more than the call. */
export async function askOne<T>(
	{ bound }: GuardedModel,
	caller: ModelCaller,
	work: (turn: ModelCall<unknown>) => Promise<T>,
): Promise<T> {
	caller.answeredBy?.(bound.id);
	try {
		return await work(new Turn(bound, caller));
	} catch (error) {
		if (isModelFailure(error)) caller.signal.throwIfAborted();
		throw error;
	}
}

/**
 * Asks one candidate after the other until one does what `work` wants, or refuses it. What a stand-in refuses says nothing of the model that was named, so
 * it neither ends the search nor hides why that one could not do it. With nobody left it rejects with the last failure, or with `E_MODEL_UNAVAILABLE`
 * when all were left alone.
 */
export async function askInTurn<T>(
	candidates: Iterable<Candidate>,
	caller: ModelCaller,
	work: (turn: ModelCall<unknown>) => Promise<T>,
): Promise<T> {
	let failed: Failure | undefined;
	let waitMs = Number.POSITIVE_INFINITY;
	for (const { model, isStandIn } of candidates) {
		const { id } = model.bound;
		try {
			const admission = await model.acquire(caller);
			if (!admission) {
				waitMs = Math.min(waitMs, model.waitMs);
				continue;
			}
			if (failed) logFallback(caller, failed, id);
			return await model.work(admission, caller, work);
		} catch (error) {
			const isFailure = isModelFailure(error);
			if (!isFailure && !(isStandIn && isRefusal(error))) throw error;
			caller.signal.throwIfAborted();
			if (isFailure) failed = { model: id, error };
		}
	}
	throw failed ? failed.error : plinthError('E_MODEL_UNAVAILABLE', { headers: retryAfter(waitMs) });
}

/** Nobody else hears of a failure that another model makes up for. */
function logFallback({ log }: ModelCaller, { model, error }: Failure, next: string): void {
	log.info({ model, next, code: codeOf(error), err: error }, 'another model is asked');
}
