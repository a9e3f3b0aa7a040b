import { type Clock, isPlinthError, type ModelInstance } from '@plinth/core';
import { createModel, silentLogger } from '@plinth/testing';
import { type ImageCodec, mediaServices } from '@plinth/toolkit';
import { onTestFinished } from 'vitest';

/** A clock on the system timers. */
export const systemClock: Clock = {
	now: () => Date.now(),
	after(ms, task) {
		const timer = setTimeout(task, ms).unref();
		return () => clearTimeout(timer);
	},
};

/**
 * A clock whose timers of at most 20 s fire on the next turn of the event loop. Longer timers, such as timeouts, never
 * fire.
 */
export function fastForwardClock(): Clock {
	let now = Date.UTC(2026, 0, 1);
	return {
		now: () => now,
		after(ms, task) {
			if (ms > 20_000) return () => {};
			let isActive = true;
			setImmediate(() => {
				now += ms;
				if (isActive) task();
			});
			return () => {
				isActive = false;
			};
		},
	};
}

/** Creates a model and closes it when the test ends. Provider packages resolve from this folder. */
export async function modelOf<M>(
	instance: ModelInstance<M>,
	options: { readonly clock?: Clock; readonly images?: ImageCodec } = {},
): Promise<M> {
	const { clock = fastForwardClock(), images } = options;
	const services = { [mediaServices.images.id]: images ?? {} };
	const { model, close } = await createModel(instance, { clock, services, folder: import.meta.dirname });
	onTestFinished(close);
	return model;
}

/** Creates a model for a conformance suite, which closes it. */
export function subjectOf<M>(instance: ModelInstance<M>) {
	return createModel(instance, { clock: systemClock, folder: import.meta.dirname });
}

/** The error as the client receives it, and the message of its cause, which is logged. */
export async function failureOf(work: Promise<unknown>) {
	const error = await work.then(
		() => new Error('It did not fail.'),
		(thrown: unknown) => thrown,
	);
	if (!isPlinthError(error)) throw error;
	const { spec, param, message, headers, cause } = error;
	return {
		...{ status: spec.status, code: spec.code, param, message, retryAfter: headers['retry-after'] },
		log: cause instanceof Error ? cause.message : '',
	};
}

/** All values of an iterable. */
export async function all<T>(source: AsyncIterable<T>): Promise<T[]> {
	const values: T[] = [];
	for await (const value of source) values.push(value);
	return values;
}

/** The context of a call. */
export const run = (signal = new AbortController().signal) => ({ signal, seed: 0xffff_fff0, log: silentLogger() });
