import { type Clock, isPlinthError, type Logger, type ModelInstance } from '@plinth/core';
import { createModel as createAsBoot, silentLogger } from '@plinth/testing';
import { type ImageCodec, mediaServices } from '@plinth/toolkit';
import { onTestFinished } from 'vitest';
import { impatientClock } from './clock.ts';

/** What a model finds around it. */
export interface ModelOptions {
	readonly clock?: Clock;
	readonly log?: Logger;
	readonly images?: ImageCodec;
	readonly id?: string;
}

/** Creates a model as boot does, outside an app. */
export async function createModel<M>(
	instance: ModelInstance<M>,
	{ clock = impatientClock(), log = silentLogger(), images, id = 'bound-id' }: ModelOptions = {},
): Promise<{ readonly model: M; stop(): Promise<void> }> {
	// Nobody looks at pictures that pass through.
	const known = { [mediaServices.images.id]: images ?? {} };
	const { model, close } = await createAsBoot(instance, { clock, log, id, services: known });
	return { model, stop: close };
}

/** The same for the length of a test. */
export async function modelOf<M>(instance: ModelInstance<M>, options?: ModelOptions): Promise<M> {
	const { model, stop } = await createModel(instance, options);
	onTestFinished(stop);
	return model;
}

/** What a failure looks like to a client, and what stands behind it in the log. */
export interface Failed {
	readonly status: number;
	readonly code: string | null;
	readonly param: string | undefined;
	readonly message: string;
	readonly retryAfter: string | undefined;
	readonly log: string;
}

/** How a promise fails. Throws when it does not, or without a code. */
export async function failureOf(work: Promise<unknown>): Promise<Failed> {
	const error = await work.then(
		() => new Error('It did not fail.'),
		(thrown: unknown) => thrown,
	);
	if (!isPlinthError(error)) throw error;
	const { spec, param, message, headers } = error;
	const { status, code } = spec;
	return { status, code, param, message, retryAfter: headers['retry-after'], log: causes(error) };
}

function causes(error: unknown): string {
	if (!(error instanceof Error)) return '';
	return [error.message, causes(error.cause)].filter((text) => text !== '').join(' < ');
}

/** Everything that an async iterable yields. */
export async function all<T>(source: AsyncIterable<T>): Promise<T[]> {
	const values: T[] = [];
	for await (const value of source) values.push(value);
	return values;
}

/** A logger that keeps its lines. */
export function keptLog(): { readonly log: Logger; readonly lines: string[] } {
	const lines: string[] = [];
	const keep = (fields: object, message: string) => void lines.push(`${JSON.stringify(fields)} ${message}`);
	const log: Logger = { debug: keep, info: keep, warn: keep, error: keep, child: () => log };
	return { log, lines };
}
