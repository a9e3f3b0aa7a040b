import type { RecordStore } from '@plinth/core';
import { memoryRecords } from '@plinth/memory';
import { createBackend, manualClock } from '@plinth/testing';
import { describe, expect, test } from 'vitest';
import { activeSecrets, changed, type EndpointRecord, Endpoints, recordHealth, rotated } from '../src/endpoints.ts';
import { maxOldSecrets, oldSecretMs } from '../src/secrets.ts';

const old = 'https://old.example/hook';
const fresh = 'https://new.example/hook';

async function oneEndpoint() {
	const clock = manualClock();
	const { provided } = await createBackend<RecordStore>(memoryRecords(), { clock });
	const endpoints = new Endpoints(provided, clock);
	const endpoint = await endpoints.create('a', { name: 'e', url: old, eventTypes: [] });
	const note = (seen: typeof endpoint, sign: { isSuccess?: boolean; isGone?: boolean }) =>
		recordHealth(endpoints, 'a', seen, {
			at: clock.now(),
			isSuccess: false,
			isGone: false,
			...sign,
		});
	const move = () => endpoints.change('a', endpoint.id, (record) => changed(record, { url: fresh }, clock.now()));
	return { clock, endpoints, endpoint, note, move };
}

describe('an endpoint whose URL was changed', () => {
	test('is not disabled by a late 410 of the old URL', async () => {
		const { endpoints, endpoint, note, move } = await oneEndpoint();
		await move();
		expect(await note(endpoint, { isGone: true })).toBeUndefined();
		expect(await endpoints.find('a', endpoint.id)).toMatchObject({ url: fresh, disabled: null });
	});

	test('is not marked as failing by a late failure of the old URL', async () => {
		const { endpoints, endpoint, note, move } = await oneEndpoint();
		await move();
		await note(endpoint, {});
		expect(await endpoints.find('a', endpoint.id)).toMatchObject({ failingSince: null });
	});

	test('is disabled by a 410 of the new URL', async () => {
		const { endpoint, note, move } = await oneEndpoint();
		const moved = await move();
		expect(await note(moved ?? endpoint, { isGone: true })).toBe('gone');
	});
});

describe('the secrets of an endpoint', () => {
	const now = 1_000_000;
	const record: EndpointRecord = {
		...{ name: 'e', url: old, eventTypes: [], createdAt: 0, updatedAt: 0 },
		...{ secret: 'current', oldSecrets: [], disabled: null, failingSince: null },
	};

	test('sign until they expire', () => {
		const until = (instant: number) => ({
			...record,
			oldSecrets: [{ secret: 's', until: instant }],
		});
		expect(activeSecrets(until(now + 1), now)).toEqual(['current', 's']);
		expect(activeSecrets(until(now), now)).toEqual(['current']);
	});

	test('are kept at a rotation until they expire, newest first, up to their maximum number', () => {
		const names = ['one', 'two', 'three', 'four', 'five'];
		const last = names.reduce<EndpointRecord>(
			(before, name, index) => rotated(before, name, now + index, true),
			record,
		);
		expect(activeSecrets(last, now + 9)).toEqual(['five', 'four', 'three', 'two']);
		expect(last.oldSecrets).toHaveLength(maxOldSecrets);
	});

	test('are not displaced by expired ones', () => {
		const dead = ['x', 'y', 'z'].map((secret) => ({ secret, until: now }));
		const living = { secret: 'living', until: now + 1 };
		const { oldSecrets } = rotated({ ...record, oldSecrets: [...dead, living] }, 'fresh', now, true);
		expect(oldSecrets).toEqual([{ secret: 'current', until: now + oldSecretMs }, living]);
	});

	test('expire immediately when they are not kept', () => {
		const living = [{ secret: 'living', until: now + 1 }];
		const { secret, oldSecrets } = rotated({ ...record, oldSecrets: living }, 'fresh', now, false);
		expect([secret, oldSecrets]).toEqual(['fresh', []]);
	});
});
