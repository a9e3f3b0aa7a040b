import type { JobDefinition } from '@plinth/core';
import { readCheckpoint } from './checkpoint.ts';
import type { RunnerContext } from './render.ts';

/** Renders video jobs with the job's model, or one of its fallbacks, and stores the result. */
export function videoRunner(context: RunnerContext): JobDefinition {
	const { models, options } = context;
	return {
		maxAttempts: options.maxAttempts,
		models,
		// Loaded by the first job, so that a server starts sooner.
		run: async (job, run) => (await import('./render.ts')).render(context, job, run),
		async cancel({ checkpoint, model: named }) {
			if (checkpoint === null) return;
			const { model, token } = readCheckpoint(checkpoint, named);
			await models.get(model).model.cancel?.(token);
		},
	};
}
