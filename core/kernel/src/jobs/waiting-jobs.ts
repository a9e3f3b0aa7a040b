import type { DueJob } from '../contract/jobs/job-store.ts';
import type { JobModels } from '../contract/jobs/jobs.ts';
import type { JobTools } from './jobs.ts';

/** How many jobs of a kind are told their position. */
const mostJobs = 100;

/**
 * Looks after jobs that stay queued because their model has no slot free: tells each its position, as the hint
 * `job.waiting`, and stands in line for the model where its group works on others.
 */
export class WaitingJobs {
	readonly #tools: JobTools;
	/** Kinds and models for which it stands in line. */
	readonly #inLine = new Set<string>();
	readonly #stopping = new AbortController();

	constructor(tools: JobTools) {
		this.#tools = tools;
	}

	/** Called now and then, with the number of jobs of each model that may begin. `onFree`: look for jobs. */
	look(kind: string, models: JobModels, limits: Readonly<Record<string, number>>, onFree: () => void): void {
		const { store, bus, log } = this.#tools;
		const held = Object.keys(limits).filter((model) => limits[model] === 0);
		if (held.length === 0 || this.#stopping.signal.aborted) return;
		store.due(kind, held, mostJobs).then(
			(jobs) => {
				for (const [index, { id: subject, tenant }] of inTurn(jobs).entries()) {
					bus.publish({ type: 'job.waiting', tenant, subject, data: { position: index + 1 } });
				}
				for (const model of new Set(jobs.map((job) => job.model))) this.#reserve(kind, model, models, onFree);
			},
			(err: unknown) => log.warn({ err, kind }, 'the waiting jobs could not be read'),
		);
	}

	/** Leaves all lines. */
	stop(): void {
		this.#stopping.abort();
	}

	#reserve(kind: string, model: string, models: JobModels, onFree: () => void): void {
		const key = `${kind} ${model}`;
		if (this.#inLine.has(key)) return;
		this.#inLine.add(key);
		// The jobs of all tenants are one caller: among themselves, the store gives them turns.
		const caller = { principal: { tenant: '' }, signal: this.#stopping.signal };
		const done = () => this.#inLine.delete(key);
		models
			.reserve(model, caller)
			.then((isKept) => isKept && onFree())
			.catch(() => {})
			.finally(done);
	}
}

/** In the order in which tenants take turns. */
function inTurn(jobs: readonly DueJob[]): readonly DueJob[] {
	const seen = new Map<string, number>();
	const turns = jobs.map((job) => {
		const turn = seen.get(job.tenant) ?? 0;
		seen.set(job.tenant, turn + 1);
		return { job, turn };
	});
	return turns.sort((a, b) => a.turn - b.turn).map(({ job }) => job);
}
