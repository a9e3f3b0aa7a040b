import assert from 'node:assert/strict';
import type { BusEvent, BusFilter, EventBus } from '@plinth/core';
import { type ConformanceCase, caseMaker, type Subject } from './conformance.ts';
import { eventually } from './eventually.ts';

/** A fresh bus without subscribers. */
export interface EventBusSubject extends Subject {
	readonly bus: EventBus;
}

/** The bus under test. */
export interface EventBusSuiteOptions {
	create(): Promise<EventBusSubject>;
}

const queued: BusEvent = { type: 'job.queued', tenant: 'acme', subject: 'video_1', data: { n: 1 } };
const otherTenant: BusEvent = { ...queued, tenant: 'umbrella' };
/** Published last: once it has arrived, everything before it has been delivered. */
const last: BusEvent = { type: 'test.last', tenant: 'acme', subject: 'video_1', data: null };

/** Every sentence of the `EventBus` contract as a case. */
export function eventBusSuite({ create }: EventBusSuiteOptions): ConformanceCase[] {
	const it = caseMaker(create);
	return [
		it('a subscriber receives an event whole', async ({ bus }) => {
			const received = listen(bus, {});
			bus.publish(queued);
			await eventually('the event arrives', () => received.length === 1);
			assert.deepEqual(received, [queued]);
		}),
		it('every subscriber receives the event', async ({ bus }) => {
			const one = listen(bus, {});
			const two = listen(bus, {});
			bus.publish(queued);
			await eventually('both receive it', () => one.length === 1 && two.length === 1);
		}),
		it('events arrive in the order of their publishing', async ({ bus }) => {
			const received = listen(bus, {});
			const events = Array.from({ length: 20 }, (_, n) => ({ ...queued, data: n }));
			for (const event of events) bus.publish(event);
			await eventually('all arrive', () => received.length === 20);
			assert.deepEqual(received, events);
		}),
		...(
			[
				['type', { type: 'job.queued' }, { ...queued, type: 'job.failed' }],
				['tenant', { tenant: 'acme' }, otherTenant],
				['subject', { subject: 'video_1' }, { ...queued, subject: 'video_2' }],
			] as const
		).map(([name, filter, other]) =>
			it(`a filter by ${name} lets through what equals it and nothing else`, async ({ bus }) => {
				const received = listen(bus, filter);
				const all = listen(bus, {});
				for (const event of [other, queued, last]) bus.publish(event);
				await eventually('the last event arrives', () => all.length === 3);
				const filtered = received.filter(({ type }) => type !== last.type);
				assert.deepEqual(filtered, [queued]);
			}),
		),
		it('all members of a filter must match', async ({ bus }) => {
			const received = listen(bus, { type: 'job.queued', tenant: 'acme' });
			const all = listen(bus, {});
			for (const event of [otherTenant, { ...queued, type: 'job.failed' }, queued, last]) {
				bus.publish(event);
			}
			await eventually('the last event arrives', () => all.length === 4);
			assert.deepEqual(received, [queued]);
		}),
		it('a subscriber receives no events from before its subscription', async ({ bus }) => {
			bus.publish(queued);
			const received = listen(bus, {});
			bus.publish(last);
			await eventually('the last event arrives', () => received.length > 0);
			assert.deepEqual(received, [last]);
		}),
		it('a subscription that was ended receives nothing more', async ({ bus }) => {
			const received: BusEvent[] = [];
			const end = bus.subscribe({}, (event) => received.push(event));
			const all = listen(bus, {});
			end();
			bus.publish(queued);
			await eventually('others receive it', () => all.length === 1);
			assert.deepEqual(received, []);
		}),
		it('ending a subscription twice is harmless', async ({ bus }) => {
			const end = bus.subscribe({}, () => {});
			const earlier = listen(bus, {});
			end();
			end();
			const later = listen(bus, {});
			bus.publish(queued);
			await eventually('a later subscriber receives it', () => later.length === 1);
			await eventually('an earlier subscriber receives it', () => earlier.length === 1, 1_000);
		}),
		it('a subscriber that throws does not reach the publisher', async ({ bus }) => {
			bus.subscribe({}, throwing);
			bus.publish(queued);
		}),
		it('a subscriber that throws does not keep an event from others', async ({ bus }) => {
			bus.subscribe({}, throwing);
			const received = listen(bus, {});
			bus.publish(queued);
			await eventually('the other receives it', () => received.length === 1);
		}),
		it('publish does not wait for subscribers', async ({ bus }) => {
			const received = listen(bus, {});
			bus.publish(queued);
			assert.deepEqual(received, []);
			await eventually('the subscriber is called', () => received.length === 1);
		}),
		it('a subscriber may publish', async ({ bus }) => {
			const received = listen(bus, { type: last.type });
			bus.subscribe({ type: queued.type }, () => bus.publish(last));
			bus.publish(queued);
			await eventually('the answer arrives', () => received.length === 1);
		}),
	];
}

function throwing(): never {
	throw new Error('a broken subscriber');
}

function listen(bus: EventBus, filter: BusFilter): BusEvent[] {
	const received: BusEvent[] = [];
	bus.subscribe(filter, (event) => received.push(event));
	return received;
}
