import type { App } from '../../contract/app.ts';
import type { JobStore } from '../../contract/jobs/job-store.ts';
import type { BlobStore } from '../../contract/ports/blob-store.ts';
import type { Clock } from '../../contract/ports/clock.ts';
import type { Logger } from '../../contract/ports/logger.ts';
import type { RecordStore } from '../../contract/ports/record-store.ts';
import { services } from '../../contract/services.ts';
import type { Readiness } from '../../http/routing/system.ts';
import type { Registry } from '../containers/registry.ts';

/** In milliseconds: the time limit of a check, how long its result is valid, and when a check counts as lost. */
export const readinessLimits = { timeoutMs: 1_000, freshMs: 2_000, lostMs: 10_000 } as const;

const { timeoutMs, freshMs, lostMs } = readinessLimits;

/**
 * Answers `/readyz`: ready while the app is, and every store answers. A store is read, not written: one whose disk is
 * full still serves what it has, and refuses writes with `storage_full`. Strangers learn a service's id; the log has
 * the reason.
 */
export function createReadiness(
	state: () => App['state'],
	{ registry, clock, log }: { registry: Registry; clock: Clock; log: Logger },
): Readiness {
	const stores = storesOf(registry).map((store) => new Watched(store, clock, log));
	let looked: { readonly at: number; readonly silent: Promise<readonly string[]> } | undefined;
	const silent = () => {
		const now = clock.now();
		if (!looked || Math.abs(now - looked.at) >= freshMs) looked = { at: now, silent: look(stores) };
		return looked.silent;
	};
	return async () => {
		if (state() !== 'ready') return { ready: false, reason: state() };
		const ids = await silent();
		// A stop may have begun meanwhile.
		if (state() !== 'ready') return { ready: false, reason: state() };
		if (ids.length === 0) return { ready: true };
		return { ready: false, reason: `no answer from ${ids.join(', ')}` };
	};
}

async function look(stores: readonly Watched[]): Promise<readonly string[]> {
	const answers = await Promise.all(stores.map((store) => store.answers()));
	return stores.filter((_, index) => !answers[index]).map(({ id }) => id);
}

interface Store {
	readonly id: string;
	/** Rejects when the store cannot be used. */
	ask(): Promise<unknown>;
}

const nothing = { tenant: 'system', collection: 'core.readiness' };

/** The stores of a deployment, each with its own question, or else the cheapest read that its port has. */
function storesOf(registry: Registry): readonly Store[] {
	const jobs = registry.find(services.jobs);
	const [records, blobs] = [registry.find(services.records), registry.find(services.blobs)];
	const asked = <S extends JobStore | RecordStore | BlobStore>(
		id: string,
		store: S | undefined,
		read: (store: S) => Promise<unknown>,
	): Store[] => (store ? [{ id, ask: () => (store.ping ? store.ping() : read(store)) }] : []);
	return [
		...asked(services.jobs.id, jobs, (store) => store.pending('readiness')),
		...asked(services.records.id, records, (store) => store.get(nothing, 'nothing')),
		...asked(services.blobs.id, blobs, (store) => store.head('readiness/nothing')),
	];
}

/** One store, and whether it answered last. */
class Watched {
	readonly id: string;
	readonly #ask: () => Promise<unknown>;
	readonly #clock: Clock;
	readonly #log: Logger;
	#asked: { readonly at: number; readonly answered: Promise<boolean> } | undefined;
	#reason: unknown;
	#isSilent = false;

	constructor({ id, ask }: Store, clock: Clock, log: Logger) {
		this.id = id;
		this.#ask = ask;
		this.#clock = clock;
		this.#log = log;
	}

	/** False when it fails, or says nothing in time. */
	async answers(): Promise<boolean> {
		const late = Promise.withResolvers<boolean>();
		const cancelTimer = this.#clock.after(timeoutMs, () => late.resolve(false));
		const answered = await Promise.race([this.#question(), late.promise]);
		cancelTimer();
		this.#note(!answered);
		return answered;
	}

	/** A question that is still open is not asked a second time, until it counts as lost. */
	#question(): Promise<boolean> {
		const now = this.#clock.now();
		if (this.#asked && Math.abs(now - this.#asked.at) < lostMs) return this.#asked.answered;
		this.#reason = new Error(`no answer within ${timeoutMs} ms`);
		const answered = Promise.resolve()
			.then(this.#ask)
			.then(
				() => true,
				(reason: unknown) => {
					this.#reason = reason;
					return false;
				},
			);
		const asked = { at: now, answered };
		this.#asked = asked;
		void answered.then(() => {
			if (this.#asked === asked) this.#asked = undefined;
		});
		return answered;
	}

	/** The log hears of changes, not of every question. */
	#note(isSilent: boolean): void {
		if (isSilent === this.#isSilent) return;
		this.#isSilent = isSilent;
		const { id: service } = this;
		if (isSilent) this.#log.warn({ service, err: this.#reason }, 'a store does not answer');
		else this.#log.info({ service }, 'a store answers again');
	}
}
