import { type BootTree, services, version } from '@plinth/core';
import { memoryBlobs, memoryJobs } from '@plinth/memory';
import { type Composed, compose } from '../compose.ts';
import { dataPlaces } from '../data-places.ts';
import type { ConfigFlags } from '../find-config.ts';
import { formatSection } from '../format-section.ts';
import { stopOnSignals } from '../signals.ts';
import { UserError } from '../user-error.ts';

/** Runs the jobs that servers of the same composition accept, until a signal arrives. Does not listen. */
export async function worker(flags: ConfigFlags): Promise<void> {
	// A server with `work: false` and its workers may share one config file.
	const composed = await compose(flags, { jobs: { work: true } });
	const { app } = composed;
	// Keeps the process alive: the worker's own timers do not.
	const keepAlive = setInterval(() => {}, 60_000);
	stopOnSignals(app);
	try {
		checkHasWork(app.tree());
		await app.start();
		process.stdout.write(banner(composed));
	} catch (error) {
		clearInterval(keepAlive);
		await app.stop();
		throw error;
	}
}

/** The services that a worker shares with the servers that accept its jobs. */
const sharedServices = [services.jobs, services.blobs];
const inProcessBackends = [memoryJobs, memoryBlobs].map(({ definition }) => definition.name);

/** Fails when the worker could never receive a job: it would run for ever without a message. */
function checkHasWork({ parts }: BootTree): void {
	if (!parts.some(({ jobs }) => jobs.length > 0)) {
		throw new UserError(
			'No plugin of this composition has jobs, so a worker has nothing to do. ' +
				'Add a plugin with jobs, such as video, or do not start a worker.',
		);
	}
	const unshared = parts.filter(
		({ factory, provides }) =>
			inProcessBackends.includes(factory) && sharedServices.some(({ id }) => provides.includes(id)),
	);
	if (unshared.length === 0) return;
	const list = unshared.map(({ owner, factory }) => `${owner} (${factory})`).join(', ');
	throw new UserError(
		'A worker shares jobs and blobs with its servers. These are in the memory of one process: ' +
			`${list}. Use backends that processes share, such as sqliteJobs and fsBlobs, ` +
			'or run no separate worker.',
	);
}

function banner({ app, file, config }: Composed): string {
	const working = app.tree().parts.filter(({ jobs }) => jobs.length > 0);
	return formatSection(`Plinth ${version} worker`, [
		['works on', working.map(({ owner, jobs }) => `${jobs.join(', ')} (${owner})`)],
		['composed by', [file ?? 'the built-in composition']],
		['data', dataPlaces(app, config)],
	]);
}
