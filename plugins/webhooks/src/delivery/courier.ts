import type { Clock, Logger } from '@plinth/core';
import type { Deliveries, Held, Verdict } from '../deliveries/store.ts';
import { noteHealth } from '../endpoints/health.ts';
import { activeSecrets } from '../endpoints/record.ts';
import type { Endpoint, Endpoints } from '../endpoints/store.ts';
import { type Schedule, waitAfter } from './schedule.ts';
import type { Sender, Sent } from './sender.ts';

/** What makes an attempt. */
export interface CourierTools {
	readonly deliveries: Deliveries;
	readonly endpoints: Endpoints;
	readonly sender: Sender;
	readonly schedule: Schedule;
	readonly clock: Clock;
	readonly log: Logger;
}

/** Makes one attempt at a delivery and writes down what came of it. */
export class Courier {
	readonly #tools: CourierTools;

	constructor(tools: CourierTools) {
		this.#tools = tools;
	}

	/**
	 * The endpoint is read right before: what was deleted or disabled gets nothing, and its delivery is cancelled. When `signal` aborts, the claim is
	 * given back. Rejects when the stores fail: the claim then runs out by itself.
	 */
	async deliver(held: Held, signal: AbortSignal): Promise<void> {
		const { deliveries } = this.#tools;
		const { endpointId } = held.value;
		const endpoint = endpointId ? await this.#tools.endpoints.find(held.tenant, endpointId) : null;
		const isWanted = endpointId === null || (endpoint !== null && endpoint.disabled === null);
		const url = endpoint?.url ?? held.value.url;
		if (!isWanted) return deliveries.settle(held, { attempt: null, verdict: 'cancelled', url });
		try {
			const sent = await this.#send(held, endpoint, url, signal);
			const verdict = this.#verdict(held, sent);
			await deliveries.settle(held, { attempt: sent.attempt, verdict, url });
			if (endpoint) await this.#note(held.tenant, endpoint, sent);
		} catch (error) {
			if (!signal.aborted) throw error;
			await deliveries.release(held);
		}
	}

	#send(held: Held, endpoint: Endpoint | null, url: string, signal: AbortSignal): Promise<Sent> {
		const { sender, clock } = this.#tools;
		const { event, secret } = held.value;
		const own = secret === null ? [] : [secret];
		const secrets = endpoint ? activeSecrets(endpoint, clock.now()) : own;
		return sender.send({ url, event, secrets }, signal);
	}

	#verdict(held: Held, { attempt, retryAfterMs }: Sent): Verdict {
		if (attempt.failure === null) return 'delivered';
		if (attempt.statusCode === gone) return 'failed';
		const wait = waitAfter(this.#tools.schedule, held.value.tries + 1);
		if (wait === null) return 'failed';
		return { retryAt: this.#tools.clock.now() + Math.max(wait, retryAfterMs) };
	}

	async #note(tenant: string, endpoint: Endpoint, { attempt }: Sent): Promise<void> {
		const { endpoints, clock, log } = this.#tools;
		const reason = await noteHealth(endpoints, tenant, endpoint, {
			at: clock.now(),
			isSuccess: attempt.failure === null,
			isGone: attempt.statusCode === gone,
		});
		if (reason) log.warn({ endpoint: endpoint.id, reason }, 'a webhook endpoint was disabled');
	}
}

/** The status by which a receiver says that it wants no more. */
const gone = 410;
