import type { ModelInstance } from '@plinth/core';
import type { Subject } from '../conformance.ts';
import { type StandaloneOptions, standaloneContext } from './context.ts';

/** The environment of a model outside an app. */
export interface CreateModelOptions extends StandaloneOptions {
	/** The id of the model, as in a config; `under-test` unless set. */
	readonly id?: string;
	/** The folder against which relative paths are resolved; the working directory unless set. */
	readonly folder?: string;
}

/** A model that runs outside an app: a subject of the suites of models. */
export interface RunningModel<M> extends Subject {
	readonly model: M;
	/** Runs the model's shutdown tasks in reverse order. */
	close(): Promise<void>;
}

/**
 * Creates one model outside an app, as boot does: options through its schema, needs by service id. Rejects on
 * invalid options and on missing needs.
 */
export async function createModel<M>(
	instance: ModelInstance<M>,
	{ id = 'under-test', folder = process.cwd(), ...options }: CreateModelOptions = {},
): Promise<RunningModel<M>> {
	const { context, stop } = standaloneContext(instance, options);
	try {
		return { model: await instance.definition.create({ ...context, id, folder }), close: stop };
	} catch (error) {
		await stop();
		throw error;
	}
}
