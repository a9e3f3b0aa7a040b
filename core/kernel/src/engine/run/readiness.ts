import { settlesWithin } from '../../contract/abort.ts';
import type { App } from '../../contract/app.ts';
import type { Clock } from '../../contract/ports/clock.ts';
import type { Logger } from '../../contract/ports/logger.ts';
import type { SelfCheck } from '../../contract/ports/self-check.ts';
import { type ServiceRef, services } from '../../contract/service.ts';
import type { Readiness } from '../../http/routing/system.ts';
import type { Registry } from '../containers/registry.ts';

/** In milliseconds: the time limit of a check, how long its result is valid, and when a check is abandoned. */
export const readinessLimits = { timeoutMs: 1_000, freshMs: 2_000, lostMs: 10_000 } as const;

const { timeoutMs, freshMs, lostMs } = readinessLimits;

/**
 * The check behind `/readyz`: ready while the app is ready and every store responds. Stores are read, not written,
 * because a store with a full disk can still serve its data. The response names services; only the log has the reason.
 */
export function createReadiness(
	state: () => App['state'],
	{ registry, clock, log }: { registry: Registry; clock: Clock; log: Logger },
): Readiness {
	// Calls `ping` of a store, or the cheapest read of its port.
	const checkOf = <S extends SelfCheck>(ref: ServiceRef<S>, read: (store: S) => Promise<unknown>) => {
		const store = registry.find(ref);
		const probe = async (target: S) => (target.ping ? target.ping() : read(target));
		return store ? [watch(ref.id, () => probe(store), clock, log)] : [];
	};
	const checks = [
		...checkOf(services.jobs, (store) => store.pending('readiness')),
		...checkOf(services.records, (store) => store.get({ tenant: 'system', collection: 'core.readiness' }, 'nothing')),
		...checkOf(services.blobs, (store) => store.head('readiness/nothing')),
	];
	return async () => {
		const down = state() === 'ready' ? (await Promise.all(checks.map((check) => check()))).flat() : [];
		// A stop may have started meanwhile.
		if (state() !== 'ready') return { ready: false, reason: state() };
		return down.length === 0 ? { ready: true } : { ready: false, reason: `no answer from ${down.join(', ')}` };
	};
}

/** The check of one store: returns its name when it fails or exceeds the time limit. Only changes are logged. */
function watch(service: string, probe: () => Promise<unknown>, clock: Clock, log: Logger): () => Promise<string[]> {
	let last = { at: Number.NEGATIVE_INFINITY, isPending: false, answered: Promise.resolve(false) };
	let reason: unknown;
	let isDown = false;

	// A pending check is not repeated until it counts as lost.
	const latestResult = () => {
		const now = clock.now();
		if (Math.abs(now - last.at) < (last.isPending ? lostMs : freshMs)) return last.answered;
		reason = new Error(`no answer within ${timeoutMs} ms`);
		const failed = (error: unknown) => {
			reason = error;
			return false;
		};
		const answered = probe().then(() => true, failed);
		const current = { at: now, isPending: true, answered };
		last = current;
		void answered.then(() => {
			current.isPending = false;
		});
		return answered;
	};

	return async () => {
		const result = latestResult();
		const answered = (await settlesWithin(clock, timeoutMs, result)) && (await result);
		if (answered && isDown) log.info({ service }, 'a store answers again');
		if (!answered && !isDown) log.warn({ service, err: reason }, 'a store does not answer');
		isDown = !answered;
		return answered ? [] : [service];
	};
}
