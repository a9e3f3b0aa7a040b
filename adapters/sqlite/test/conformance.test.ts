import type { BackendInstance, JobStore, RecordStore } from '@plinth/core';
import { type ConformanceCase, createBackend, jobStoreSuite, manualClock, recordStoreSuite } from '@plinth/testing';
import { afterAll, describe, test } from 'vitest';
import { sqliteJobs, sqliteRecords } from '../src/index.ts';
import { empty, holdOpen, peerOf, temporaryFile } from './subject.ts';

const supports = { reopen: true };
let shared: Awaited<ReturnType<typeof shareFile>> | undefined;

afterAll(() => shared?.close());

conforms('sqliteJobs', () => jobStoreSuite({ supports, create: () => subject<JobStore>(sqliteJobs) }));

conforms('sqliteRecords', () => recordStoreSuite({ supports, create: () => subject<RecordStore>(sqliteRecords) }));

/** An empty store on the shared file, which can be closed and reopened. */
async function subject<T>(backend: (options: { file: string }) => BackendInstance) {
	shared ??= await shareFile();
	const { file } = shared;
	const clock = manualClock();
	const open = () => createBackend<T>(backend({ file }), { clock });
	empty(file);
	let running = await open();
	const peers: Awaited<ReturnType<typeof peerOf>>[] = [];
	return {
		store: running.provided,
		clock,
		async reopen() {
			await running.stop();
			await shared?.reopen();
			running = await open();
			return running.provided;
		},
		async peer() {
			const peer = await peerOf(file, clock);
			peers.push(peer);
			return peer.store;
		},
		holdOpen: (jobId: string) => holdOpen(file, jobId),
		async close() {
			for (const peer of peers) await peer.close();
			await running.stop();
		},
	};
}

/** A file that stays open between the cases, because starting the writer thread is most of the time of a case. */
async function shareFile() {
	const { file, remove } = await temporaryFile();
	const open = () => createBackend<RecordStore>(sqliteRecords({ file }));
	let holder = await open();
	return {
		file,
		async reopen() {
			await holder.stop();
			holder = await open();
		},
		async close() {
			await holder.stop();
			await remove();
		},
	};
}

function conforms(name: string, suite: () => ConformanceCase[]): void {
	describe(name, () => {
		for (const { name: sentence, run } of suite()) test(sentence, run);
	});
}
