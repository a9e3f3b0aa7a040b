import { offerInstant, offerMs } from '@plinth/core';

interface Offer {
	readonly kind: string;
	/** Undefined: it takes a job of whatever model. */
	readonly models: ReadonlySet<string> | undefined;
	readonly seenAt: number;
}

/** Which workers have asked for jobs lately, and for which models. */
export class Offers {
	readonly #byWorker = new Map<string, Offer>();

	/** A worker has asked. */
	note(kind: string, worker: string, models: readonly string[] | undefined, now: number): void {
		const offer = { kind, models: models && new Set(models), seenAt: offerInstant(now) };
		this.#byWorker.set(JSON.stringify([kind, worker]), offer);
	}

	/** Whether a worker that has asked within `offerMs` would take such a job. */
	has(kind: string, model: string): boolean {
		return [...this.#byWorker.values()].some((offer) => offer.kind === kind && (offer.models?.has(model) ?? true));
	}

	/** Forgets workers that have not asked for too long. After a clock was set back, a worker counts as seen now. */
	trim(now: number): void {
		for (const [name, offer] of this.#byWorker) {
			if (offer.seenAt <= now - offerMs) this.#byWorker.delete(name);
			else if (offer.seenAt > now) this.#byWorker.set(name, { ...offer, seenAt: offerInstant(now) });
		}
	}
}
