import { describe, expect, it } from 'vitest';
import { EventQueue, maxQueued } from '../src/response/event-queue.ts';

const event = (data: number) => ({ data });

function queue() {
	const seen = { left: 0 };
	const events = new EventQueue(() => {
		seen.left += 1;
	});
	return { seen, events };
}

describe('EventQueue', () => {
	it('emits events that were pushed before and during reading, then the end', async () => {
		const { events, seen } = queue();
		events.push(event(1));
		const read: unknown[] = [];
		const reading = (async () => {
			for await (const { data } of events) read.push(data);
		})();
		events.push(event(2));
		await Promise.resolve();
		events.push(event(3));
		events.end();
		events.push(event(4));
		await reading;
		expect([read, seen.left]).toEqual([[1, 2, 3], 0]);
	});

	it('emits pending events before an error, which it throws once', async () => {
		const { events } = queue();
		events.push(event(1));
		events.fail(new Error('broken'));
		expect(await events.next()).toEqual({ done: false, value: event(1) });
		await expect(events.next()).rejects.toThrow('broken');
		expect(await events.next()).toEqual({ done: true, value: undefined });
	});

	it('reports immediately that the reader has stopped, also during a wait', async () => {
		const { events, seen } = queue();
		const waiting = events.next();
		await events.return();
		expect(seen.left).toBe(1);
		expect((await waiting).done).toBe(true);
		events.push(event(1));
		expect((await events.next()).done).toBe(true);
		await events.return();
		expect(seen.left).toBe(1);
	});

	it('does not report a reader that stops after the end', async () => {
		const { events, seen } = queue();
		events.end();
		await events.return();
		expect(seen.left).toBe(0);
	});

	it('has room again when it is read, for all waiting writers', async () => {
		const { events } = queue();
		for (let data = 0; data < maxQueued; data++) events.push(event(data));
		let passed = 0;
		const waiting = [events.waitForCapacity(), events.waitForCapacity()].map((room) => room.then(() => passed++));
		await new Promise((resolve) => setImmediate(resolve));
		expect([events.hasCapacity, passed]).toEqual([false, 0]);
		await events.next();
		await Promise.all(waiting);
		expect(events.hasCapacity).toBe(true);
	});

	it('releases waiting writers when the reader stops', async () => {
		const { events } = queue();
		for (let data = 0; data < maxQueued; data++) events.push(event(data));
		const waiting = events.waitForCapacity();
		await events.return();
		await expect(waiting).rejects.toThrow('The reader has returned');
	});

	it('starts with the first event or with an error', async () => {
		const eventful = queue().events;
		eventful.push(event(1));
		await eventful.awaitFirst();
		const failing = queue().events;
		failing.fail(new Error('broken'));
		await expect(failing.awaitFirst()).rejects.toThrow('broken');
	});
});
