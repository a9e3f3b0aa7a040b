import type { BackendInstance } from '../backend.ts';
import type { Clock } from '../ports/clock.ts';
import type { Logger } from '../ports/logger.ts';
import { services } from '../services.ts';
import { manualClock } from './manual-clock.ts';
import { silentLogger } from './silent-logger.ts';

/** What a backend finds around it outside an app. */
export interface CreateBackendOptions {
	/** Implementations by service id: `{ [services.blobs.id]: blobs }`. */
	readonly services?: Readonly<Record<string, unknown>>;
	/** By default {@link silentLogger}. */
	readonly log?: Logger;
	/** By default a {@link manualClock}: a backend that polls needs a real one. */
	readonly clock?: Clock;
}

/** A backend that runs outside an app. */
export interface RunningBackend<T> {
	/** What `create` returned: one service, or a record of several. */
	readonly provided: T;
	/** Runs the backend's shutdown tasks in reverse order. */
	stop(): Promise<void>;
}

/**
 * Creates one backend outside an app, as boot does: options through its schema, needs by service id.
 * `T` is what the backend provides: `createBackend<JobStore>(memoryJobs())`. Rejects on bad options and on needs that nobody meets.
 */
export async function createBackend<T>(
	instance: BackendInstance,
	options: CreateBackendOptions = {},
): Promise<RunningBackend<T>> {
	const { definition } = instance;
	const log = options.log ?? silentLogger();
	const known: Readonly<Record<string, unknown>> = {
		[services.clock.id]: options.clock ?? manualClock(),
		[services.log.id]: log,
		...options.services,
	};
	const stopTasks: (() => Promise<void> | void)[] = [];
	const stop = async (): Promise<void> => {
		for (const task of stopTasks.splice(0).reverse()) await task();
	};
	const context = {
		config: definition.config.parse(instance.options),
		services: Object.fromEntries(
			Object.entries(definition.needs ?? {}).map(([name, ref]) => {
				if (!ref.optional && known[ref.id] === undefined) {
					throw new Error(
						`${definition.name} needs "${ref.id}" and createBackend was not given it. Pass it in options.services.`,
					);
				}
				return [name, known[ref.id]];
			}),
		),
		log,
		onStop: (task: () => Promise<void> | void) => {
			stopTasks.push(task);
		},
	};
	try {
		return { provided: (await definition.create(context)) as T, stop };
	} catch (error) {
		await stop();
		throw error;
	}
}
