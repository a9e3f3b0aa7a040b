import type { Logger, RecordStore } from '@plinth/core';
import { type Clock, type EventBus, errorFrom, invalidValue, type JobKinds, type JobStore } from '@plinth/core';
import type { Egress } from '@plinth/toolkit';
import type { Deliveries } from './deliveries.ts';
import type { Endpoint, Endpoints } from './endpoints.ts';
import { webhookErrors } from './errors.ts';
import { eventTypes } from './event.ts';
import type { Schedule } from './options.ts';

/** Dependencies of the routes, the consumer and the delivery jobs. */
export interface WebhookContext {
	readonly jobs: JobStore;
	readonly records: RecordStore;
	readonly events: EventBus;
	readonly kinds: JobKinds;
	readonly clock: Clock;
	readonly log: Logger;
	readonly egress: Egress;
	readonly schedule: Schedule;
	readonly endpoints: Endpoints;
	readonly deliveries: Deliveries;
}

/** The endpoint. Throws `E_WEBHOOK_ENDPOINT_NOT_FOUND` for null. */
export function requireEndpoint(endpoint: Endpoint | null): Endpoint {
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
