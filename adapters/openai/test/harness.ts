import { type Clock, isPlinthError, type Logger, type ModelInstance } from '@plinth/core';
import { createModel as createAsBoot, silentLogger } from '@plinth/testing';
import { type ImageCodec, mediaServices } from '@plinth/toolkit';
import { onTestFinished } from 'vitest';
import { fastForwardClock } from './fast-forward-clock.ts';

/** Dependencies of a model. */
export interface ModelOptions {
	readonly clock?: Clock;
	readonly log?: Logger;
	readonly images?: ImageCodec;
	readonly id?: string;
}

/** Creates a model outside an app, as boot does. */
export async function createModel<M>(
	instance: ModelInstance<M>,
	{ clock = fastForwardClock(), log = silentLogger(), images, id = 'bound-id' }: ModelOptions = {},
): Promise<{ readonly model: M; stop(): Promise<void> }> {
	// Pictures that pass through are not decoded.
	const known = { [mediaServices.images.id]: images ?? {} };
	const { model, close } = await createAsBoot(instance, { clock, log, id, services: known });
	return { model, stop: close };
}

/** Creates a model and closes it when the test ends. */
export async function modelOf<M>(instance: ModelInstance<M>, options?: ModelOptions): Promise<M> {
	const { model, stop } = await createModel(instance, options);
	onTestFinished(stop);
	return model;
}

/** An error as the client receives it, and its causes, which are logged. */
export interface Failed {
	readonly status: number;
	readonly code: string | null;
	readonly param: string | undefined;
	readonly message: string;
	readonly retryAfter: string | undefined;
	readonly log: string;
}

/** The error of a rejected promise. Throws if the promise is fulfilled or the error has no code. */
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

/** All values of an async iterable. */
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
