import type { Clock, Logger, Needs } from '@plinth/core';
import { services } from '@plinth/core';
import type { z } from 'zod';
import { silentLogger } from '../fakes/silent-logger.ts';
import { manualClock } from '../manual-clock.ts';

/** What a backend or a model gets outside an app. */
export interface StandaloneOptions {
	/** Implementations by service id: `{ [services.blobs.id]: blobs }`. */
	readonly services?: Readonly<Record<string, unknown>>;
	/** By default {@link silentLogger}. */
	readonly log?: Logger;
	/** By default a {@link manualClock}: what polls needs a real one. */
	readonly clock?: Clock;
}

interface Made {
	readonly options: unknown;
	readonly definition: {
		readonly name: string;
		readonly config: z.ZodType;
		readonly needs?: Needs;
	};
}

/**
 * The context of `create` as boot makes it, and a function that runs its shutdown tasks in reverse order. Throws on bad
 * options and on needs that are not met.
 */
export function standaloneContext(
	{ definition, options: given }: Made,
	{ log = silentLogger(), clock = manualClock(), services: more }: StandaloneOptions,
) {
	const known: Readonly<Record<string, unknown>> = {
		[services.clock.id]: clock,
		[services.log.id]: log,
		...more,
	};
	const met = Object.entries(definition.needs ?? {}).map(([name, { id, optional }]) => {
		if (!optional && known[id] === undefined) {
			throw new Error(`${definition.name} needs "${id}" and was not given it. Pass it in options.services.`);
		}
		return [name, known[id]] as const;
	});
	const stopTasks: (() => Promise<void> | void)[] = [];
	return {
		context: {
			config: definition.config.parse(given),
			services: Object.fromEntries(met),
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
