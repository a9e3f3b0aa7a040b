import type { WireVideo } from './client.ts';

/** The kinds of faults, as the result table names them. */
export type FaultKind =
	| 'lost'
	| 'final state changed'
	| 'wrong content'
	| 'reappeared'
	| 'wrong replay'
	| 'server error';

/** A job as its client knows it. */
export interface TrackedJob {
	readonly model: 'quick' | 'builtin-video';
	readonly prompt: string;
	/** The `Idempotency-Key` of the job. */
	readonly key: string | undefined;
	readonly hasReference: boolean;
	/** Set once a 201 has arrived. */
	id?: string;
	/** The final state as first observed. */
	finalState?: string;
	status?: WireVideo['status'];
	error?: string;
	etag?: string;
	/** `requested`: the delete request got no response, so its result is unknown. */
	removal: 'none' | 'requested' | 'done';
	/** Whether a client is using this job. Only one client uses a job at a time. */
	isBusy: boolean;
}

/**
 * Tracks what the server has acknowledged to clients while processes were killed, and the faults that clients observed.
 */
export class JobTracker {
	readonly jobs: TrackedJob[] = [];
	readonly faults: { readonly kind: FaultKind; readonly text: string }[] = [];

	/** Adds a job whose create request is about to be sent. */
	add(facts: Pick<TrackedJob, 'model' | 'prompt' | 'key' | 'hasReference'>): TrackedJob {
		const job: TrackedJob = { ...facts, removal: 'none', isBusy: true };
		this.jobs.push(job);
		return job;
	}

	/** Matching jobs that no client is using. */
	free(isMatch: (job: TrackedJob) => boolean): readonly TrackedJob[] {
		return this.jobs.filter((job) => !job.isBusy && isMatch(job));
	}

	addFault(kind: FaultKind, text: string): void {
		this.faults.push({ kind, text });
	}

	count(kind: FaultKind): number {
		return this.faults.filter((fault) => fault.kind === kind).length;
	}

	/** Records a create request that was answered with 201. From now on the job must exist. */
	recordCreated(job: TrackedJob, video: WireVideo): void {
		if (job.id !== undefined && job.id !== video.id) {
			this.addFault('wrong replay', `${job.key} made ${job.id} and then ${video.id}`);
		}
		job.id ??= video.id;
		this.recordState(job, video);
	}

	/** Records the state of a job as read from the server. */
	recordState(job: TrackedJob, { status, completed_at, error }: WireVideo): void {
		if (job.removal === 'done') this.addFault('reappeared', `${job.id} is ${status} again`);
		job.status = status;
		const isOver = status === 'completed' || status === 'failed';
		if (!isOver && job.finalState === undefined) return;
		const state = `${status} at ${completed_at} ${error?.code ?? ''}`;
		job.finalState ??= state;
		if (error) job.error = error.code;
		if (job.finalState !== state) {
			this.addFault('final state changed', `${job.id}: ${job.finalState}, then ${state}`);
		}
	}

	/** Records that the server did not find the job. */
	recordNotFound(job: TrackedJob): void {
		if (job.removal === 'none') this.addFault('lost', `${job.id} (${job.prompt})`);
		else job.removal = 'done';
	}
}
