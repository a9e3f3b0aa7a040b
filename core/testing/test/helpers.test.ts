import {
	type BackendInstance,
	type BlobStore,
	defineBackend,
	defineModel,
	defineModelKind,
	type EventBus,
	optional,
	services,
} from '@plinth/core';
import { createBackend, createModel, eventually, manualClock } from '@plinth/testing';
import { describe, expect, expectTypeOf, test } from 'vitest';
import { z } from 'zod';

describe('manualClock', () => {
	test('runs due tasks in the order of their time, each at its instant', async () => {
		const clock = manualClock(0);
		const log: [string, number][] = [];
		clock.after(20, () => log.push(['late', clock.now()]));
		clock.after(10, () => log.push(['early', clock.now()]));
		clock.after(31, () => log.push(['never', clock.now()]));
		await clock.advance(30);
		expect(log).toEqual([
			['early', 10],
			['late', 20],
		]);
		expect(clock.now()).toBe(30);
	});

	test('runs tasks that a task schedules after awaits', async () => {
		const clock = manualClock(0);
		let beats = 0;
		const beat = async () => {
			beats += 1;
			await Promise.resolve();
			clock.after(10, beat);
		};
		clock.after(10, beat);
		await clock.advance(50);
		expect(beats).toBe(5);
	});

	test('does not run a task that was cancelled', async () => {
		const clock = manualClock(0);
		let ran = false;
		clock.after(10, () => {
			ran = true;
		})();
		await clock.advance(20);
		expect(ran).toBe(false);
	});

	test('a jump changes the time and does not affect waits', async () => {
		const clock = manualClock(0);
		let ran = false;
		clock.after(10, () => {
			ran = true;
		});
		clock.jump(-7_200_000);
		await clock.advance(10);
		expect([ran, clock.now()]).toEqual([true, -7_199_990]);
	});
});

describe('createBackend', () => {
	const stopped: string[] = [];
	const sample = defineBackend({
		name: 'sample',
		provides: services.events,
		config: z.strictObject({ size: z.number().default(3) }),
		needs: { clock: services.clock, blobs: services.blobs },
		create({ onStop, config }) {
			onStop(() => void stopped.push('first'));
			onStop(() => void stopped.push('second'));
			return { publish: () => config.size, subscribe: () => () => {} };
		},
	});
	const met = { services: { [services.blobs.id]: {} } };

	test('fills in the options of the schema', async () => {
		const { provided } = await createBackend<{ publish(): number }>(sample(), met);
		expect(provided.publish()).toBe(3);
	});

	test('types the provided value by its port', async () => {
		const { provided } = await createBackend(sample(), met);
		expectTypeOf(provided).toEqualTypeOf<EventBus>();
		// @ts-expect-error an event bus is not a blob store
		expectTypeOf(provided).toExtend<BlobStore>();
		const pair = defineBackend({
			name: 'pair',
			provides: { bus: services.events, blobs: services.blobs },
			config: z.strictObject({}),
			create: () => ({ bus: provided, blobs: {} as BlobStore }),
		});
		const { provided: both } = await createBackend(pair());
		expectTypeOf(both.bus).toEqualTypeOf<EventBus>();
		expectTypeOf(both.blobs).toEqualTypeOf<BlobStore>();
		// @ts-expect-error it provides no clock
		expect([both.bus, both.clock]).toEqual([provided, undefined]);
	});

	test('accepts an instance whose port is not known', async () => {
		const unknown: BackendInstance = sample();
		const { provided } = await createBackend(unknown, met);
		expectTypeOf(provided).toEqualTypeOf<unknown>();
		const { provided: bus } = await createBackend<EventBus>(unknown, met);
		expectTypeOf(bus).toEqualTypeOf<EventBus>();
		expect(bus.subscribe).toBeTypeOf('function');
	});

	test('rejects options that the schema does not know', async () => {
		const wrong = sample({ colour: 'red' } as never);
		await expect(createBackend(wrong, met)).rejects.toThrow('colour');
	});

	test('names a need without a provider', async () => {
		await expect(createBackend(sample())).rejects.toThrow('sample needs "core.blobs"');
	});

	test('stops in reverse order, once', async () => {
		const { stop } = await createBackend(sample(), met);
		await stop();
		await stop();
		expect(stopped).toEqual(['second', 'first']);
	});
});

describe('createModel', () => {
	const kind = defineModelKind<{ readonly says: string }>('sample');
	const stopped: string[] = [];
	const sample = defineModel({
		kind,
		name: 'test.sample',
		config: z.strictObject({ size: z.number().default(3) }),
		needs: { blobs: services.blobs, records: optional(services.records) },
		create({ id, config, services: { records }, onStop }) {
			onStop(() => void stopped.push('first'));
			onStop(() => void stopped.push('second'));
			if (config.size > 9) throw new Error('too large');
			return { says: `${id} ${config.size} ${records}` };
		},
	});
	const met = { services: { [services.blobs.id]: {} } };

	test('makes the model like boot: with id, options and services', async () => {
		const { model } = await createModel(sample(), { ...met, id: 'clip' });
		expect(model.says).toBe('clip 3 undefined');
	});

	test('names a need without a provider', async () => {
		await expect(createModel(sample())).rejects.toThrow('test.sample needs "core.blobs"');
	});

	test('closes in reverse order, once, also after a failed creation', async () => {
		const { close } = await createModel(sample(), met);
		await close();
		await close();
		await expect(createModel(sample({ size: 10 }), met)).rejects.toThrow('too large');
		expect(stopped).toEqual(['second', 'first', 'second', 'first']);
	});
});

test('eventually reports the condition that did not become true', async () => {
	await expect(eventually('pigs fly', () => false, 5)).rejects.toThrow('pigs fly');
});
