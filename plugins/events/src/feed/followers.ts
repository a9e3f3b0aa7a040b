import type { Follower } from './follower.ts';
import type { FeedEvent } from './updates.ts';

/** Who follows what: found by tenant and by job, so that those whom something does not concern cost nothing. */
export class Followers {
	readonly #byTenant = new Map<string, Set<Follower>>();
	readonly #byJob = new Map<string, Set<Follower>>();

	get isEmpty(): boolean {
		return this.#byTenant.size === 0 && this.#byJob.size === 0;
	}

	add(follower: Follower): void {
		const [index, key] = this.#placeOf(follower);
		const set = index.get(key);
		if (set) set.add(follower);
		else index.set(key, new Set([follower]));
	}

	/** Harmless when repeated. */
	delete(follower: Follower): void {
		const [index, key] = this.#placeOf(follower);
		const set = index.get(key);
		set?.delete(follower);
		if (set?.size === 0) index.delete(key);
	}

	/** Whether anybody wants to hear of this job. */
	concerns(tenant: string, jobId: string): boolean {
		return this.#byTenant.has(tenant) || this.#byJob.has(jobId);
	}

	/** Tells all whom it concerns. True when one of them needs a moment to take what it has. */
	tell(happening: FeedEvent): boolean {
		let isPressed = false;
		for (const followers of [
			this.#byTenant.get(happening.tenant),
			this.#byJob.get(happening.jobId),
		]) {
			for (const follower of followers ?? []) {
				follower.push(happening);
				isPressed ||= follower.isPressed;
			}
		}
		return isPressed;
	}

	all(): readonly Follower[] {
		return [...this.#byTenant.values(), ...this.#byJob.values()].flatMap((set) => [...set]);
	}

	#placeOf({ tenant, jobId }: Follower): readonly [Map<string, Set<Follower>>, string] {
		return jobId === undefined ? [this.#byTenant, tenant] : [this.#byJob, jobId];
	}
}
