import type { Clock, Logger, Needs } from '@plinth/core';
import { services } from '@plinth/core';
import type { z } from 'zod';
import { silentLogger } from '../fakes/silent-logger.ts';
import { manualClock } from '../manual-clock.ts';

/** The environment of a backend or a model outside an app. */
export interface StandaloneOptions {
	/** Implementations by service id: `{ [services.blobs.id]: blobs }`. */
	readonly services?: Readonly<Record<string, unknown>>;
	/** By default {@link silentLogger}. */
	readonly log?: Logger;
	/** By default a {@link manualClock}. Code that polls needs a real clock. */
	readonly clock?: Clock;
}

interface Instance {
	readonly options: unknown;
	readonly definition: {
		readonly name: string;
		readonly config: z.ZodType;
		readonly needs?: Needs;
	};
}

/**
 * Returns the context of `create` as boot makes it, and a function that runs the shutdown tasks in reverse order.
 * Throws on invalid options and on missing needs.
 */
export function standaloneContext(
	{ definition, options }: Instance,
	{ log = silentLogger(), clock = manualClock(), services: given }: StandaloneOptions,
) {
	const available: Readonly<Record<string, unknown>> = {
		[services.clock.id]: clock,
		[services.log.id]: log,
		...given,
	};
	const needed = Object.entries(definition.needs ?? {}).map(([name, { id, optional }]) => {
		if (!optional && available[id] === undefined) {
			throw new Error(`${definition.name} needs "${id}". Pass it in options.services.`);
		}
		return [name, available[id]] as const;
	});
	const stopTasks: (() => Promise<void> | void)[] = [];
	return {
		context: {
			config: definition.config.parse(options),
			services: Object.fromEntries(needed),
			log,
			onStop(task: () => Promise<void> | void): void {
				stopTasks.push(task);
			},
		},
		async stop(): Promise<void> {
			for (const task of stopTasks.splice(0).reverse()) await task();
		},
	};
}
