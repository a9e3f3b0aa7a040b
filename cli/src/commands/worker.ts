import { resolve } from 'node:path';
import { type BootTree, services, version } from '@plinth/core';
import { memoryBlobs, memoryJobs } from '@plinth/memory';
import { type Composed, compose } from '../compose.ts';
import { facts } from '../facts.ts';
import { stopOnSignals } from '../signals.ts';
import { UserError } from '../user-error.ts';

/** Runs the jobs that servers of the same composition accept, until a signal asks for the end. Listens nowhere. */
export async function worker(flags: { readonly config?: string }): Promise<void> {
	// A server with `work: false` and its workers may share one config file.
	const composed = await compose(flags, { jobs: { work: true } });
	const { app } = composed;
	// Nothing else has to keep the process alive: it waits for jobs, and its timers do not count.
	const alive = setInterval(() => {}, 60_000);
	stopOnSignals(app);
	try {
		refuseIdle(app.tree());
		await app.start();
		process.stdout.write(banner(composed));
	} catch (error) {
		clearInterval(alive);
		await app.stop();
		throw error;
	}
}

/** What a worker stands on together with the servers that accept its jobs. */
const shared = [services.jobs, services.blobs];
const inOneProcess = [memoryJobs, memoryBlobs].map(({ definition }) => definition.name);

/** A worker that can never see a job would run for ever and say nothing. */
function refuseIdle({ parts }: BootTree): void {
	if (!parts.some(({ jobs }) => jobs.length > 0)) {
		throw new UserError(
			'No plugin of this composition has jobs, so a worker has nothing to do. Compose one that has (video), or leave the worker away.',
		);
	}
	const local = parts.filter(
		({ factory, provides }) =>
			inOneProcess.includes(factory) && shared.some(({ id }) => provides.includes(id)),
	);
	if (local.length === 0) return;
	const list = local.map(({ owner, factory }) => `${owner} (${factory})`).join(', ');
	throw new UserError(
		`A worker shares jobs and blobs with its servers, and these live in the memory of one process: ${list}. Take backends that processes share, such as sqliteJobs and fsBlobs, or let the server work alone.`,
	);
}

function banner({ app, file }: Composed): string {
	const working = app.tree().parts.filter(({ jobs }) => jobs.length > 0);
	return facts(`Plinth ${version} worker`, [
		['works on', working.map(({ owner, jobs }) => `${jobs.join(', ')} (${owner})`)],
		['composed by', [file ?? 'the built-in composition']],
		['data', [file ? 'as configured' : resolve(process.env.PLINTH_DATA_DIR || './.plinth')]],
	]);
}
