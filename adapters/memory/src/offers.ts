import { offerInstant, offerMs } from '@plinth/core';

interface Offer {
	readonly kind: string;
	/** Undefined: the worker accepts jobs of every model. */
	readonly models: ReadonlySet<string> | undefined;
	readonly seenAt: number;
}

/** The workers that have recently called `take`, and their models. */
export class Offers {
	readonly #byWorker = new Map<string, Offer>();

	/** Records a call of `take`. */
	note(kind: string, worker: string, models: readonly string[] | undefined, now: number): void {
		const offer = { kind, models: models && new Set(models), seenAt: offerInstant(now) };
		this.#byWorker.set(JSON.stringify([kind, worker]), offer);
	}

	/** Whether a worker that has called `take` within `offerMs` accepts jobs of this kind and model. */
	has(kind: string, model: string): boolean {
		return [...this.#byWorker.values()].some((offer) => offer.kind === kind && (offer.models?.has(model) ?? true));
	}

	/** Removes workers without a `take` for `offerMs`. If the clock was set back, a worker counts as seen now. */
	trim(now: number): void {
		for (const [name, offer] of this.#byWorker) {
			if (offer.seenAt <= now - offerMs) this.#byWorker.delete(name);
			else if (offer.seenAt > now) this.#byWorker.set(name, { ...offer, seenAt: offerInstant(now) });
		}
	}
}
