import type { JobDefinition, JobOutcome, JobRetry, Jobs } from '@plinth/core';
import type { WebhookContext } from './context.ts';
import type { Delivery, DeliveryRun, Outcome } from './deliveries.ts';
import { activeSecrets, type Endpoint, recordHealth } from './endpoints.ts';
import { waitAfter } from './options.ts';
import { type Sent, sendEvent } from './sender.ts';

/** The kinds of job that send deliveries. The second one is for slow receivers, so that others do not wait for them. */
export const deliveryKinds = ['webhook', 'webhookslow'] as const;

type DeliveryKind = (typeof deliveryKinds)[number];

/** Concurrent requests per process, and how many of them go to one receiver. */
const limits: Record<DeliveryKind, { readonly concurrency: number; readonly perTenant: number }> = {
	webhook: { concurrency: 20, perTenant: 4 },
	webhookslow: { concurrency: 12, perTenant: 1 },
};
/** The retry schedule ends a delivery. The limits of its job must not end it earlier. */
const unbounded = { maxRunMs: 86_400_000, maxPendingPerTenant: 0 };
const maxAttempts = 1_000_000;
/** Milliseconds until an attempt is repeated whose delivery could not be read or written. */
const storeRetryMs = 5_000;
/** A response that takes at least this many milliseconds is slow. */
const slowMs = 2_000;
/** How many slow receivers are remembered: the latest ones. */
const maxSlow = 10_000;
/** The status of a receiver that accepts no more events. */
const gone = 410;

const done: JobOutcome = { result: {} };

/** Sends deliveries. Each run of a schedule is a job whose tenant is the receiver, so that receivers take turns. */
export class DeliveryJobs {
	readonly #context: WebhookContext;
	readonly #jobs: Record<DeliveryKind, Jobs>;
	/** The receivers whose last response was slow. */
	readonly #slow = new Set<string>();
	/** The pending requests of this process. */
	readonly #requests = new Set<{ readonly endpointId: string | null; readonly abort: AbortController }>();

	constructor(context: WebhookContext, register: (kind: string, definition: JobDefinition) => Jobs) {
		this.#context = context;
		const jobsOf = (kind: DeliveryKind) =>
			register(kind, {
				isInternal: true,
				maxAttempts,
				settings: { ...unbounded, ...limits[kind] },
				run: (job, { signal }) => this.#run(kind, job.input as DeliveryRun, signal),
				retryInMs: () => storeRetryMs,
			});
		this.#jobs = { webhook: jobsOf('webhook'), webhookslow: jobsOf('webhookslow') };
	}

	/** Submits the job of a delivery's run. A repeat within a day changes nothing. */
	async submit({ tenant, id, run, receiver }: Delivery, kind: DeliveryKind = 'webhook'): Promise<void> {
		await this.#jobs[kind].submit({
			principal: { id: 'webhooks', tenant: receiver, scopes: [] },
			model: 'none',
			input: () => ({ tenant, id, run }),
			idempotency: { key: `${kind}_${id}_${run}`, fingerprint: id, retry: 0 },
		});
	}

	/** Aborts the requests of this process to an endpoint that was deleted. */
	abort(endpointId: string): void {
		for (const request of this.#requests) if (request.endpointId === endpointId) request.abort.abort();
	}

	async #run(kind: DeliveryKind, run: DeliveryRun, signal: AbortSignal): Promise<JobOutcome | JobRetry> {
		const { deliveries, endpoints, clock } = this.#context;
		const delivery = await deliveries.begin(run);
		if (delivery?.run !== run.run || delivery.status !== 'pending') return done;
		const wait = delivery.nextAttemptAt - clock.now();
		if (wait > 0) return { retryInMs: wait };
		const { tenant, endpointId } = delivery;
		const endpoint = endpointId === null ? null : await endpoints.find(tenant, endpointId);
		if (endpointId !== null && (endpoint === null || endpoint.disabled)) {
			await deliveries.settle(run, null, 'cancelled');
			return done;
		}
		if (kind === 'webhook' && this.#slow.has(slowKey(delivery))) {
			await this.submit(delivery, 'webhookslow');
			return done;
		}
		return this.#attempt(delivery, endpoint, signal);
	}

	async #attempt(delivery: Delivery, endpoint: Endpoint | null, signal: AbortSignal): Promise<JobOutcome | JobRetry> {
		const { deliveries, endpoints, clock, log } = this.#context;
		const url = endpoint?.url ?? delivery.url;
		const sent = await this.#send(delivery, url, endpoint, signal);
		if (sent === 'deleted') {
			await deliveries.settle(delivery, null, 'cancelled');
			return done;
		}
		const outcome = this.#outcome(delivery, sent);
		await deliveries.settle(delivery, sent.attempt, outcome, url);
		if (endpoint) {
			const reason = await recordHealth(endpoints, delivery.tenant, endpoint, {
				at: clock.now(),
				isSuccess: sent.attempt.failure === null,
				isGone: sent.attempt.statusCode === gone,
			});
			if (reason) log.warn({ endpoint: endpoint.id, reason }, 'a webhook endpoint was disabled');
		}
		return typeof outcome === 'string' ? done : { retryInMs: Math.max(0, outcome.retryAt - clock.now()) };
	}

	async #send(
		delivery: Delivery,
		url: string,
		endpoint: Endpoint | null,
		signal: AbortSignal,
	): Promise<Sent | 'deleted'> {
		const { egress, clock } = this.#context;
		const { event, secret, endpointId } = delivery;
		const callbackSecrets = secret === null ? [] : [secret];
		const secrets = endpoint ? activeSecrets(endpoint, clock.now()) : callbackSecrets;
		const request = { endpointId, abort: new AbortController() };
		this.#requests.add(request);
		const startedAt = clock.now();
		try {
			const anyAbort = AbortSignal.any([signal, request.abort.signal]);
			return await sendEvent(egress, clock, { url, event, secrets }, anyAbort);
		} catch (error) {
			if (request.abort.signal.aborted) return 'deleted';
			throw error;
		} finally {
			this.#requests.delete(request);
			this.#recordDuration(slowKey(delivery), clock.now() - startedAt);
		}
	}

	#recordDuration(key: string, ms: number): void {
		this.#slow.delete(key);
		if (ms >= slowMs) this.#slow.add(key);
		const [oldest] = this.#slow;
		if (this.#slow.size > maxSlow && oldest !== undefined) this.#slow.delete(oldest);
	}

	#outcome(delivery: Delivery, { attempt, retryAfterMs }: Sent): Outcome {
		if (attempt.failure === null) return 'delivered';
		if (attempt.statusCode === gone) return 'failed';
		const { schedule, clock } = this.#context;
		const wait = waitAfter(schedule, delivery.tries + 1);
		return wait === null ? 'failed' : { retryAt: clock.now() + Math.max(wait, retryAfterMs) };
	}
}

/** All callbacks of a tenant count as one receiver, because each may name another host. */
function slowKey({ tenant, endpointId }: Delivery): string {
	return endpointId ?? `callbacks of ${tenant}`;
}
