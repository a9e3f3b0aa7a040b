import type { App } from '../../contract/app.ts';
import type { Clock } from '../../contract/ports/clock.ts';
import type { Logger } from '../../contract/ports/logger.ts';
import type { SelfCheck } from '../../contract/ports/self-check.ts';
import type { ServiceRef } from '../../contract/service.ts';
import { services } from '../../contract/services.ts';
import type { Readiness } from '../../http/routing/system.ts';
import type { Registry } from '../containers/registry.ts';

/** In milliseconds: the time limit of a check, how long its result is valid, and when a check counts as lost. */
export const readinessLimits = { timeoutMs: 1_000, freshMs: 2_000, lostMs: 10_000 } as const;

const { timeoutMs, freshMs, lostMs } = readinessLimits;

/**
 * Answers `/readyz`: ready while the app is, and every store answers. A store is read, not written: one whose disk is
 * full still serves what it has. The answer names services; only the log has the reason.
 */
export function createReadiness(
	state: () => App['state'],
	{ registry, clock, log }: { registry: Registry; clock: Clock; log: Logger },
): Readiness {
	// Each store answers its own question, or else the cheapest read that its port has.
	const checkOf = <S extends SelfCheck>(ref: ServiceRef<S>, read: (store: S) => Promise<unknown>) => {
		const store = registry.find(ref);
		const ask = async (found: S) => (found.ping ? found.ping() : read(found));
		return store ? [{ id: ref.id, answers: watch(ref.id, () => ask(store), clock, log) }] : [];
	};
	const checks = [
		...checkOf(services.jobs, (store) => store.pending('readiness')),
		...checkOf(services.records, (store) => store.get({ tenant: 'system', collection: 'core.readiness' }, 'nothing')),
		...checkOf(services.blobs, (store) => store.head('readiness/nothing')),
	];
	const check = async () => {
		const found = await Promise.all(checks.map(async ({ id, answers }) => ((await answers()) ? [] : [id])));
		return found.flat();
	};
	let last: { readonly at: number; readonly silent: Promise<readonly string[]> } | undefined;
	const silent = () => {
		const now = clock.now();
		if (!last || Math.abs(now - last.at) >= freshMs) last = { at: now, silent: check() };
		return last.silent;
	};
	return async () => {
		const ids = state() === 'ready' ? await silent() : [];
		// A stop may have begun meanwhile.
		if (state() !== 'ready') return { ready: false, reason: state() };
		return ids.length === 0 ? { ready: true } : { ready: false, reason: `no answer from ${ids.join(', ')}` };
	};
}

/** A check of one store: false when it fails, or does not answer in time. The log tells changes only. */
function watch(service: string, ask: () => Promise<unknown>, clock: Clock, log: Logger): () => Promise<boolean> {
	let open: { readonly at: number; readonly answered: Promise<boolean> } | undefined;
	let reason: unknown;
	let isSilent = false;

	// A question that is still open is not asked a second time, until it counts as lost.
	const question = () => {
		const now = clock.now();
		if (open && Math.abs(now - open.at) < lostMs) return open.answered;
		reason = new Error(`no answer within ${timeoutMs} ms`);
		const failed = (error: unknown) => {
			reason = error;
			return false;
		};
		const answered = ask().then(() => true, failed);
		const asked = { at: now, answered };
		open = asked;
		void answered.then(() => {
			if (open === asked) open = undefined;
		});
		return answered;
	};

	return async () => {
		const late = Promise.withResolvers<boolean>();
		const cancelTimer = clock.after(timeoutMs, () => late.resolve(false));
		const answered = await Promise.race([question(), late.promise]);
		cancelTimer();
		if (answered && isSilent) log.info({ service }, 'a store answers again');
		if (!answered && !isSilent) log.warn({ service, err: reason }, 'a store does not answer');
		isSilent = !answered;
		return answered;
	};
}
