import type { FeedSubscription } from './subscription.ts';
import type { FeedEvent } from './updates.ts';

/** All subscriptions, indexed by tenant and by job, so that unrelated ones cost nothing. */
export class FeedSubscriptions {
	readonly #byTenant = new Map<string, Set<FeedSubscription>>();
	readonly #byJob = new Map<string, Set<FeedSubscription>>();

	get isEmpty(): boolean {
		return this.#byTenant.size === 0 && this.#byJob.size === 0;
	}

	add(subscription: FeedSubscription): void {
		const [index, key] = this.#indexOf(subscription);
		const set = index.get(key);
		if (set) set.add(subscription);
		else index.set(key, new Set([subscription]));
	}

	/** Does nothing when already deleted. */
	delete(subscription: FeedSubscription): void {
		const [index, key] = this.#indexOf(subscription);
		const set = index.get(key);
		set?.delete(subscription);
		if (set?.size === 0) index.delete(key);
	}

	/** Whether there is a subscription for this job. */
	has(tenant: string, jobId: string): boolean {
		return this.#byTenant.has(tenant) || this.#byJob.has(jobId);
	}

	/** Pushes an event to the matching subscriptions. Returns true when one of them is backed up. */
	publish(event: FeedEvent): boolean {
		let isBackedUp = false;
		for (const subscriptions of [this.#byTenant.get(event.tenant), this.#byJob.get(event.jobId)]) {
			for (const subscription of subscriptions ?? []) {
				subscription.push(event);
				isBackedUp ||= subscription.isBackedUp;
			}
		}
		return isBackedUp;
	}

	all(): readonly FeedSubscription[] {
		return [...this.#byTenant.values(), ...this.#byJob.values()].flatMap((set) => [...set]);
	}

	#indexOf({ tenant, jobId }: FeedSubscription): readonly [Map<string, Set<FeedSubscription>>, string] {
		return jobId === undefined ? [this.#byTenant, tenant] : [this.#byJob, jobId];
	}
}
