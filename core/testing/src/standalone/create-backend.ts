import type { BackendInstance, Provided, Provides } from '@plinth/core';
import { type StandaloneOptions, standaloneContext } from './context.ts';

/** A backend that runs outside an app. */
export interface RunningBackend<T> {
	/** What `create` returned: one service, or a record of several. */
	readonly provided: T;
	/** Runs the backend's shutdown tasks in reverse order. */
	stop(): Promise<void>;
}

/**
 * Creates one backend outside an app, as boot does: options through its schema, needs by service id. The type of
 * `provided` follows from the factory. Rejects on invalid options and on missing needs.
 */
export function createBackend<P extends Provides>(
	instance: BackendInstance<P>,
	options?: StandaloneOptions,
): Promise<RunningBackend<Provided<P>>>;
/** The same with a type from the caller: for a handle that has more than the port, or a backend of unknown type. */
export function createBackend<T>(instance: BackendInstance, options?: StandaloneOptions): Promise<RunningBackend<T>>;
export async function createBackend(
	instance: BackendInstance,
	options: StandaloneOptions = {},
): Promise<RunningBackend<unknown>> {
	const { context, stop } = standaloneContext(instance, options);
	try {
		return { provided: await instance.definition.create(context), stop };
	} catch (error) {
		await stop();
		throw error;
	}
}
