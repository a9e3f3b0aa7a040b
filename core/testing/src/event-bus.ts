import assert from 'node:assert/strict';
import type { BusEvent, BusFilter, EventBus } from '@plinth/core';
import { type ConformanceCase, caseMaker, type Subject } from './conformance.ts';
import { eventually } from './eventually.ts';

/** A fresh bus without subscribers. */
export interface EventBusSubject extends Subject {
	readonly bus: EventBus;
}

/** What is under test. */
export interface EventBusSuiteOptions {
	create(): Promise<EventBusSubject>;
}

const queued: BusEvent = { type: 'job.queued', tenant: 'acme', subject: 'video_1', data: { n: 1 } };
const otherTenant: BusEvent = { ...queued, tenant: 'umbrella' };
/** What cases wait for, to know that everything before it has been delivered. */
const last: BusEvent = { type: 'test.last', tenant: 'acme', subject: 'video_1', data: null };

/** Every sentence of the `EventBus` contract as a case. */
export function eventBusSuite({ create }: EventBusSuiteOptions): ConformanceCase[] {
	const it = caseMaker(create);
	return [
		it('a subscriber receives an event whole', async ({ bus }) => {
			const heard = listen(bus, {});
			bus.publish(queued);
			await eventually('the event arrives', () => heard.length === 1);
			assert.deepEqual(heard, [queued]);
		}),
		it('every subscriber receives the event', async ({ bus }) => {
			const one = listen(bus, {});
			const two = listen(bus, {});
			bus.publish(queued);
			await eventually('both hear it', () => one.length === 1 && two.length === 1);
		}),
		it('events arrive in the order of their publishing', async ({ bus }) => {
			const heard = listen(bus, {});
			for (let n = 0; n < 20; n += 1) bus.publish({ ...queued, data: n });
			await eventually('all arrive', () => heard.length === 20);
			assert.deepEqual(
				heard.map(({ data }) => data),
				Array.from({ length: 20 }, (_, n) => n),
			);
		}),
		...(
			[
				['type', { type: 'job.queued' }, { ...queued, type: 'job.failed' }],
				['tenant', { tenant: 'acme' }, otherTenant],
				['subject', { subject: 'video_1' }, { ...queued, subject: 'video_2' }],
			] as const
		).map(([name, filter, other]) =>
			it(`a filter by ${name} lets through what equals it and nothing else`, async ({ bus }) => {
				const heard = listen(bus, filter);
				const all = listen(bus, {});
				for (const event of [other, queued, last]) bus.publish(event);
				await eventually('the last event arrives', () => all.length === 3);
				assert.deepEqual(
					heard.filter(({ type }) => type !== last.type),
					[queued],
				);
			}),
		),
		it('all members of a filter must match', async ({ bus }) => {
			const heard = listen(bus, { type: 'job.queued', tenant: 'acme' });
			const all = listen(bus, {});
			for (const event of [otherTenant, { ...queued, type: 'job.failed' }, queued, last]) {
				bus.publish(event);
			}
			await eventually('the last event arrives', () => all.length === 4);
			assert.deepEqual(heard, [queued]);
		}),
		it('a subscriber hears nothing from before it came', async ({ bus }) => {
			bus.publish(queued);
			const heard = listen(bus, {});
			bus.publish(last);
			await eventually('the last event arrives', () => heard.length > 0);
			assert.deepEqual(heard, [last]);
		}),
		it('a subscription that was ended hears nothing more', async ({ bus }) => {
			const heard: BusEvent[] = [];
			const end = bus.subscribe({}, (event) => heard.push(event));
			const all = listen(bus, {});
			end();
			bus.publish(queued);
			await eventually('others hear it', () => all.length === 1);
			assert.deepEqual(heard, []);
		}),
		it('ending a subscription twice is harmless', async ({ bus }) => {
			const end = bus.subscribe({}, () => {});
			end();
			end();
			const heard = listen(bus, {});
			bus.publish(queued);
			await eventually('others hear it', () => heard.length === 1);
		}),
		it('a subscriber that throws does not reach the publisher', async ({ bus }) => {
			bus.subscribe({}, () => {
				throw new Error('a broken subscriber');
			});
			bus.publish(queued);
		}),
		it('a subscriber that throws does not keep an event from others', async ({ bus }) => {
			bus.subscribe({}, () => {
				throw new Error('a broken subscriber');
			});
			const heard = listen(bus, {});
			bus.publish(queued);
			await eventually('the other hears it', () => heard.length === 1);
		}),
		it('publish does not wait for subscribers', async ({ bus }) => {
			let isHandled = false;
			bus.subscribe({}, () => {
				isHandled = true;
			});
			bus.publish(queued);
			assert.equal(isHandled, false);
			await eventually('the subscriber is called', () => isHandled);
		}),
		it('a subscriber may publish', async ({ bus }) => {
			const heard = listen(bus, { type: last.type });
			bus.subscribe({ type: queued.type }, () => bus.publish(last));
			bus.publish(queued);
			await eventually('the answer arrives', () => heard.length === 1);
		}),
	];
}

function listen(bus: EventBus, filter: BusFilter): BusEvent[] {
	const heard: BusEvent[] = [];
	bus.subscribe(filter, (event) => heard.push(event));
	return heard;
}
