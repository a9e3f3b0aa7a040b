import { type Authenticator, type Logger, type RecordStore, services } from '@plinth/core';
import { apiKeys, type KeyRing } from '@plinth/keys';
import { memoryRecords } from '@plinth/memory';
import { createBackend, type ManualClock, manualClock } from '@plinth/testing';
import { onTestFinished } from 'vitest';

/** A record store that counts writes, and whose reads and writes can be made to fail. */
export interface FaultyRecords extends RecordStore {
	failReads: boolean;
	failWrites: boolean;
	writes: number;
}

export interface TestKeys {
	readonly authenticator: Authenticator;
	readonly ring: KeyRing;
}

/** `apiKeys` on a store and a clock. Two on the same store behave like two processes. */
export async function testKeys(options: {
	readonly keys?: string | string[];
	readonly store?: RecordStore;
	readonly clock?: ManualClock;
	readonly log?: Logger;
}): Promise<TestKeys> {
	const { keys = '', store, clock = manualClock(), log } = options;
	const { provided, stop } = await createBackend<TestKeys>(apiKeys({ keys }), {
		clock,
		...(log ? { log } : {}),
		services: { [services.records.id]: store },
	});
	onTestFinished(stop);
	return provided;
}

/** An empty store. */
export async function faultyRecords(clock: ManualClock = manualClock()): Promise<FaultyRecords> {
	const { provided: store } = await createBackend<RecordStore>(memoryRecords(), { clock });
	const fail = (what: string): never => {
		throw new Error(`the disk of /secret/path does not ${what}`);
	};
	const faulty: FaultyRecords = {
		failReads: false,
		failWrites: false,
		writes: 0,
		get: async (...args) => (faulty.failReads ? fail('read') : store.get(...args)),
		list: async (...args) => (faulty.failReads ? fail('read') : store.list(...args)),
		delete: async (...args) => (faulty.failWrites ? fail('write') : store.delete(...args)),
		async put(...args) {
			faulty.writes += 1;
			return faulty.failWrites ? fail('write') : store.put(...args);
		},
		dump: () => store.dump(),
		load: (records) => store.load(records),
	};
	return faulty;
}
