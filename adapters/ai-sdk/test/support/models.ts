import { type Clock, isPlinthError, type ModelInstance } from '@plinth/core';
import { createModel, silentLogger } from '@plinth/testing';
import { type ImageCodec, mediaServices } from '@plinth/toolkit';
import { onTestFinished } from 'vitest';

/** The clock of the machine. */
export const systemClock: Clock = {
	now: () => Date.now(),
	after(ms, task) {
		const timer = setTimeout(task, ms).unref();
		return () => clearTimeout(timer);
	},
};

/** A clock whose waits of at most 20 s are over in the next turn of the event loop. Longer ones, such as deadlines, stand. */
export function impatientClock(): Clock {
	let now = Date.UTC(2026, 0, 1);
	return {
		now: () => now,
		after(ms, task) {
			if (ms > 20_000) return () => {};
			let isWanted = true;
			setImmediate(() => {
				now += ms;
				if (isWanted) task();
			});
			return () => {
				isWanted = false;
			};
		},
	};
}

/** A model for the length of a test. Packages of providers resolve from this folder, as from that of a config. */
export async function modelOf<M>(
	instance: ModelInstance<M>,
	options: { readonly clock?: Clock; readonly images?: ImageCodec } = {},
): Promise<M> {
	const { clock = impatientClock(), images } = options;
	const services = { [mediaServices.images.id]: images ?? {} };
	const { model, close } = await createModel(instance, { clock, services, folder: import.meta.dirname });
	onTestFinished(close);
	return model;
}

/** The same for conformance suites, which close what they create. */
export function subjectOf<M>(instance: ModelInstance<M>) {
	return createModel(instance, { clock: systemClock, folder: import.meta.dirname });
}

/** What a client reads of a failure, and what stands behind it in the log. */
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

/** Everything that an iterable yields. */
export async function all<T>(source: AsyncIterable<T>): Promise<T[]> {
	const values: T[] = [];
	for await (const value of source) values.push(value);
	return values;
}

/** The surroundings of a call. */
export const run = (signal = new AbortController().signal) => ({ signal, seed: 0xffff_fff0, log: silentLogger() });
