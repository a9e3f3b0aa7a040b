import { type Clock, type EventBus, errorFrom, invalidValue, type JobKinds, type Logger } from '@plinth/core';
import type { Egress } from '@plinth/toolkit';
import type { Deliveries } from './deliveries/store.ts';
import type { Endpoint, Endpoints } from './endpoints/store.ts';
import { webhookErrors } from './errors.ts';
import { eventTypes } from './event.ts';
import type { DeliveryJobs } from './sending/delivery-jobs.ts';
import type { Sender } from './sending/sender.ts';

/** What the routes work with. */
export interface WebhookContext {
	readonly endpoints: Endpoints;
	readonly deliveries: Deliveries;
	readonly deliveryJobs: DeliveryJobs;
	readonly sender: Sender;
	readonly egress: Egress;
	readonly events: EventBus;
	readonly kinds: JobKinds;
	readonly clock: Clock;
	readonly log: Logger;
}

/** Gives back an endpoint that was found, and throws `E_WEBHOOK_ENDPOINT_NOT_FOUND` for one that was not. */
export function found(endpoint: Endpoint | null): Endpoint {
	if (!endpoint) throw errorFrom(webhookErrors, 'E_WEBHOOK_ENDPOINT_NOT_FOUND');
	return endpoint;
}

/** The types of events that this server sends. */
export function knownTypes({ kinds }: WebhookContext): readonly string[] {
	return eventTypes(kinds.names());
}

/** Throws a 400 that names `param` unless this server sends events of the type. */
export function checkType(context: WebhookContext, type: string, param: string): void {
	const known = knownTypes(context);
	if (known.includes(type)) return;
	throw invalidValue(param, `${param}: expected one of ${known.join(', ')}.`);
}

/** A list of types without repeats. Throws a 400 that names the first one that this server does not send. */
export function checkedTypes(context: WebhookContext, types: readonly string[]): readonly string[] {
	for (const [index, type] of types.entries()) checkType(context, type, `event_types[${index}]`);
	return [...new Set(types)];
}
