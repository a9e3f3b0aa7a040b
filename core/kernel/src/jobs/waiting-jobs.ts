import type { DueJob } from '../contract/jobs/job-store.ts';
import type { JobModels } from '../contract/jobs/jobs.ts';
import type { JobTools } from './jobs.ts';

const maxJobs = 100;

/**
 * Handles jobs that stay queued because their model has no free slot: publishes the position of each as `job.waiting`,
 * and reserves a slot of the model if its group runs other models.
 */
export class WaitingJobs {
	readonly #tools: JobTools;
	readonly #reserving = new Set<string>();
	readonly #stopping = new AbortController();

	constructor(tools: JobTools) {
		this.#tools = tools;
	}

	/** Called at each poll, with the number of jobs that may begin by model. `onFree`: look for jobs. */
	look(kind: string, models: JobModels, limits: Readonly<Record<string, number>>, onFree: () => void): void {
		const { store, bus, log } = this.#tools;
		const blockedModels = Object.keys(limits).filter((model) => limits[model] === 0);
		if (blockedModels.length === 0 || this.#stopping.signal.aborted) return;
		store.due(kind, blockedModels, maxJobs).then(
			(jobs) => {
				for (const [index, { id: subject, tenant }] of inTurns(jobs).entries()) {
					bus.publish({ type: 'job.waiting', tenant, subject, data: { position: index + 1 } });
				}
				for (const model of new Set(jobs.map((job) => job.model))) this.#reserve(kind, model, models, onFree);
			},
			(err: unknown) => log.warn({ err, kind }, 'the waiting jobs could not be read'),
		);
	}

	stop(): void {
		this.#stopping.abort();
	}

	#reserve(kind: string, model: string, models: JobModels, onFree: () => void): void {
		const key = `${kind} ${model}`;
		if (this.#reserving.has(key)) return;
		this.#reserving.add(key);
		// The jobs of all tenants share one caller. The store makes their tenants take turns.
		const caller = { principal: { tenant: '' }, signal: this.#stopping.signal };
		models
			.reserve(model, caller)
			.then((isKept) => isKept && onFree())
			.catch(() => {})
			.finally(() => this.#reserving.delete(key));
	}
}

function inTurns(jobs: readonly DueJob[]): readonly DueJob[] {
	const seen = new Map<string, number>();
	const turns = jobs.map((job) => {
		const turn = seen.get(job.tenant) ?? 0;
		seen.set(job.tenant, turn + 1);
		return { job, turn };
	});
	return turns.sort((a, b) => a.turn - b.turn).map(({ job }) => job);
}
