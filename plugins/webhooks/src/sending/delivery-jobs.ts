import type { Clock, Job, JobDefinition, JobOutcome, JobRetry, Jobs, Logger } from '@plinth/core';
import type { Delivery } from '../deliveries/record.ts';
import type { Deliveries, DeliveryRun, Outcome } from '../deliveries/store.ts';
import { noteHealth } from '../endpoints/health.ts';
import { activeSecrets } from '../endpoints/record.ts';
import type { Endpoint, Endpoints } from '../endpoints/store.ts';
import { Pace } from './pace.ts';
import { type Schedule, waitAfter } from './schedule.ts';
import type { Sender, Sent } from './sender.ts';

/**
 * The kinds of job that send deliveries: the second one to receivers that are slow, so that those leave room for the
 * others.
 */
export const deliveryKinds = ['webhook', 'webhookslow'] as const;

type DeliveryKind = (typeof deliveryKinds)[number];

/** How many requests leave a process at a time, and how many of them go to one receiver. */
const limits: Record<DeliveryKind, { readonly concurrency: number; readonly perTenant: number }> = {
	webhook: { concurrency: 20, perTenant: 4 },
	webhookslow: { concurrency: 12, perTenant: 1 },
};
/** The schedule ends a delivery. No job may end before it, whatever happens to its attempts and their process. */
const unbounded = { maxAttempts: 1_000_000, maxRunMs: 86_400_000, maxPendingPerTenant: 0 };
/** After how long an attempt is repeated that could not read or write its delivery, in milliseconds. */
const storeRetryMs = 5_000;
/** The status by which a receiver says that it wants no more. */
const gone = 410;

const done: JobOutcome = { result: {} };

/** What sending works with. */
export interface DeliveryJobsTools {
	readonly deliveries: Deliveries;
	readonly endpoints: Endpoints;
	readonly sender: Sender;
	readonly schedule: Schedule;
	readonly clock: Clock;
	readonly log: Logger;
}

/**
 * Sends deliveries. Each run of a schedule is a job whose tenant is the receiver, so that receivers take turns and each
 * gets few
 * requests at a time. The record of the delivery is the truth about its attempts: an attempt that is repeated goes by
 * it.
 */
export class DeliveryJobs {
	readonly #tools: DeliveryJobsTools;
	readonly #jobs: Record<DeliveryKind, Jobs>;
	readonly #pace = new Pace();
	/** The requests to endpoints that are under way in this process. */
	readonly #requests = new Set<{ readonly endpointId: string; readonly abort: AbortController }>();

	constructor(tools: DeliveryJobsTools, register: (kind: string, definition: JobDefinition) => Jobs) {
		this.#tools = tools;
		const { maxAttempts, ...settings } = unbounded;
		const jobsOf = (kind: DeliveryKind) =>
			register(kind, {
				isInternal: true,
				maxAttempts,
				settings: { ...settings, ...limits[kind] },
				run: (job, { signal }) => this.#run(kind, job, signal),
				retryInMs: () => storeRetryMs,
			});
		this.#jobs = { webhook: jobsOf('webhook'), webhookslow: jobsOf('webhookslow') };
	}

	/** Has a run of a delivery sent. A repeat within a day changes nothing. */
	submit({ tenant, id, run, receiver }: SubmittedRun): Promise<void> {
		return this.#submit('webhook', { tenant, id, run, receiver });
	}

	/** Ends the requests of this process to an endpoint that was deleted. */
	abort(endpointId: string): void {
		for (const request of this.#requests) {
			if (request.endpointId === endpointId) request.abort.abort();
		}
	}

	async #submit(kind: DeliveryKind, { tenant, id, run, receiver }: SubmittedRun): Promise<void> {
		await this.#jobs[kind].submit({
			principal: { id: 'webhooks', tenant: receiver, scopes: [] },
			model: 'none',
			input: () => ({ tenant, id, run }),
			idempotency: { key: `${kind}_${id}_${run}`, fingerprint: id, retry: 0 },
		});
	}

	async #run(kind: DeliveryKind, job: Job, signal: AbortSignal): Promise<JobOutcome | JobRetry> {
		const { deliveries, endpoints, clock } = this.#tools;
		const run = job.input as DeliveryRun;
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
		if (kind === 'webhook' && this.#pace.isSlow(delivery)) {
			await this.#submit('webhookslow', delivery);
			return done;
		}
		return this.#attempt(delivery, endpoint, signal);
	}

	async #attempt(delivery: Delivery, endpoint: Endpoint | null, signal: AbortSignal): Promise<JobOutcome | JobRetry> {
		const { deliveries } = this.#tools;
		const url = endpoint?.url ?? delivery.url;
		const sent = await this.#send(delivery, url, endpoint, signal);
		if (sent === 'deleted') {
			await deliveries.settle(delivery, null, 'cancelled');
			return done;
		}
		const outcome = this.#outcome(delivery, sent);
		await deliveries.settle(delivery, sent.attempt, outcome, url);
		if (endpoint) await this.#noteHealth(delivery.tenant, endpoint, sent);
		if (typeof outcome === 'string') return done;
		return { retryInMs: Math.max(0, outcome.retryAt - this.#tools.clock.now()) };
	}

	async #send(
		delivery: Delivery,
		url: string,
		endpoint: Endpoint | null,
		signal: AbortSignal,
	): Promise<Sent | 'deleted'> {
		const { sender, clock } = this.#tools;
		const { event, secret } = delivery;
		const own = secret === null ? [] : [secret];
		const secrets = endpoint ? activeSecrets(endpoint, clock.now()) : own;
		const abort = new AbortController();
		const request = { endpointId: endpoint?.id ?? '', abort };
		this.#requests.add(request);
		const began = clock.now();
		try {
			return await sender.send({ url, event, secrets }, AbortSignal.any([signal, abort.signal]));
		} catch (error) {
			if (abort.signal.aborted) return 'deleted';
			throw error;
		} finally {
			this.#requests.delete(request);
			this.#pace.note(delivery, clock.now() - began);
		}
	}

	#outcome(delivery: Delivery, { attempt, retryAfterMs }: Sent): Outcome {
		if (attempt.failure === null) return 'delivered';
		if (attempt.statusCode === gone) return 'failed';
		const wait = waitAfter(this.#tools.schedule, delivery.tries + 1);
		if (wait === null) return 'failed';
		return { retryAt: this.#tools.clock.now() + Math.max(wait, retryAfterMs) };
	}

	async #noteHealth(tenant: string, endpoint: Endpoint, { attempt }: Sent): Promise<void> {
		const { endpoints, clock, log } = this.#tools;
		const reason = await noteHealth(endpoints, tenant, endpoint, {
			at: clock.now(),
			isSuccess: attempt.failure === null,
			isGone: attempt.statusCode === gone,
		});
		if (reason) log.warn({ endpoint: endpoint.id, reason }, 'a webhook endpoint was disabled');
	}
}

/** A run of a delivery and who receives it. */
export interface SubmittedRun extends DeliveryRun {
	readonly receiver: string;
}
