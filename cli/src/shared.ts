import { type App, type BootTree, type ServiceRef, services } from '@plinth/core';
import { memoryBlobs, memoryJobs, memoryRecords } from '@plinth/memory';
import { UserError } from './user-error.ts';

const inProcess = [memoryBlobs, memoryJobs, memoryRecords].map(({ definition }) => definition.name);

/** Fails when a backend keeps one of these services in the memory of one process, hidden from other processes. */
export function checkShared(app: Pick<App, 'tree'>, required: readonly ServiceRef<unknown>[], reason: string): void {
	const unshared = app
		.tree()
		.parts.filter(
			({ factory, provides }) => inProcess.includes(factory) && required.some(({ id }) => provides.includes(id)),
		);
	if (unshared.length === 0) return;
	const list = unshared.map(({ owner, factory }) => `${owner} (${factory})`).join(', ');
	throw new UserError(
		`${reason} These are in the memory of one process: ${list}. ` +
			'Use backends that processes share, such as sqliteJobs, sqliteRecords and fsBlobs, or run one process.',
	);
}

/** Fails when a worker could never receive a job: it would run for ever without a message. */
export function checkHasWork(app: Pick<App, 'tree'>): void {
	if (!partsWithJobs(app.tree()).length) {
		throw new UserError(
			'No plugin of this composition has jobs, so a worker has nothing to do. ' +
				'Add a plugin with jobs, such as video, or do not start a worker.',
		);
	}
	checkShared(app, [services.jobs, services.blobs], 'A worker shares jobs and blobs with its servers.');
}

/** The parts that have jobs. */
export function partsWithJobs({ parts }: BootTree): BootTree['parts'] {
	return parts.filter(({ jobs }) => jobs.length > 0);
}
