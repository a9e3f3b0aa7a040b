import type { BackendInstance } from '@plinth/core';
import { type StandaloneOptions, standaloneContext } from './context.ts';

/** A backend that runs outside an app. */
export interface RunningBackend<T> {
	/** What `create` returned: one service, or a record of several. */
	readonly provided: T;
	/** Runs the backend's shutdown tasks in reverse order. */
	stop(): Promise<void>;
}

/**
 * Creates one backend outside an app, as boot does: options through its schema, needs by service id.
 * `T` is what the backend provides: `createBackend<JobStore>(memoryJobs())`. Rejects on bad options and on unmet needs.
 */
export async function createBackend<T>(
	instance: BackendInstance,
	options: StandaloneOptions = {},
): Promise<RunningBackend<T>> {
	const { context, stop } = standaloneContext(instance, options);
	try {
		return { provided: (await instance.definition.create(context)) as T, stop };
	} catch (error) {
		await stop();
		throw error;
	}
}
