import { type BusEvent, type EventBus, services } from '@plinth/core';
import { memoryBlobs, memoryEvents } from '@plinth/memory';
import { silentLogger } from '@plinth/testing';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { shareEvents } from '../src/processes/shared-events.ts';

const event: BusEvent = { type: 'job.queued', tenant: 'a', subject: 'video_1', data: { n: 1 } };
const sent: unknown[] = [];
const stops: (() => unknown)[] = [];
const { send, connected } = process;

beforeEach(() => {
	process.send = (message: unknown) => sent.push(message) > 0;
	process.connected = true;
});

afterEach(() => {
	for (const stop of stops.splice(0)) stop();
	sent.length = 0;
	process.connected = connected;
	if (send) process.send = send;
	else delete process.send;
});

async function shared(): Promise<EventBus> {
	const { events } = shareEvents({ events: memoryEvents() });
	const context = { config: {}, services: {}, log: silentLogger(), onStop: (task: () => void) => stops.push(task) };
	return (await events?.definition.create(context as never)) as EventBus;
}

test('only event buses of a single process are replaced', () => {
	const [events, blobs] = [memoryEvents(), memoryBlobs()];
	const replaced = shareEvents({ events, blobs });
	expect(replaced.blobs).toBe(blobs);
	expect(replaced.events).not.toBe(events);
	expect(replaced.events?.definition.provides).toBe(services.events);
});

test('an event reaches local subscribers, and the other processes through the parent', async () => {
	const bus = await shared();
	const received = vi.fn();
	bus.subscribe({ type: 'job.queued' }, received);
	bus.publish(event);
	await vi.waitFor(() => expect(received).toHaveBeenCalledExactlyOnceWith(event));
	expect(sent).toEqual([{ busEvent: event }]);
});

test('an event of another process reaches local subscribers, and is not sent back', async () => {
	const bus = await shared();
	const received = vi.fn();
	bus.subscribe({ tenant: 'a' }, received);
	process.emit('message', { other: true }, undefined);
	process.emit('message', { busEvent: event }, undefined);
	await vi.waitFor(() => expect(received).toHaveBeenCalledExactlyOnceWith(event));
	expect(sent).toEqual([]);
});

test('without a parent, events stay in the process', async () => {
	const bus = await shared();
	process.connected = false;
	bus.publish(event);
	expect(sent).toEqual([]);
});
