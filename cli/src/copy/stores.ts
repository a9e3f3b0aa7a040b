import { resolve } from 'node:path';
import {
	type App,
	type BlobStore,
	createApp,
	type JobStore,
	ownerKey,
	ownerOfBlobs,
	ownerRemedy,
	type RecordStore,
	services,
} from '@plinth/core';
import { configFrom } from '../find-config.ts';
import { quietLogger } from '../quiet.ts';
import { checkShared } from '../shared.ts';
import { UserError } from '../user-error.ts';

const refs = { jobs: services.jobs, records: services.records, blobs: services.blobs } as const;
const names = ['jobs', 'records', 'blobs'] as const;

/** The stores of a config, opened. */
export interface Stores {
	/** The config file. */
	readonly file: string;
	readonly jobs: JobStore;
	readonly records: RecordStore;
	readonly blobs: BlobStore;
	/** The kind and location of each store. Equal texts mean the same store. */
	readonly places: Readonly<Record<(typeof names)[number], string>>;
	close(): Promise<void>;
}

/** Opens the backends of a config, without its models and plugins. */
export async function openStores(file: string): Promise<Stores> {
	const { config } = await configFrom({ config: file });
	const problems = config.problems.filter(({ path }) => !/^(?:models|groups|plugins)/.test(path));
	const bare = { ...config, models: {}, pools: {}, groups: {}, plugins: {}, problems };
	const app = await createApp(bare, { file, log: quietLogger });
	try {
		const places = names.map((name) => [name, placeOf(app, name, bare.backends, file)] as const);
		checkShared(app, Object.values(refs), `${file}: only data that is kept after the process ends can be copied.`);
		return {
			file,
			jobs: app.service(refs.jobs),
			records: app.service(refs.records),
			blobs: app.service(refs.blobs),
			places: Object.fromEntries(places) as Stores['places'],
			close: () => app.stop(),
		};
	} catch (error) {
		await app.stop();
		throw error;
	}
}

type Backends = Awaited<ReturnType<typeof configFrom>>['config']['backends'];

function placeOf(app: App, name: (typeof names)[number], backends: Backends, file: string): string {
	const part = app.tree().parts.find(({ provides }) => provides.includes(refs[name].id));
	if (!part)
		throw new UserError(`${file} has no backend for ${name}. Add one, or start with extends: plinth:embedded.`);
	const { definition, options } = backends[part.owner.replace('backend ', '')] ?? {};
	const parsed = definition?.config.safeParse(options).data;
	// The options of the built-in backends that are paths. One path can be written in several ways.
	const absolute = (key: string, value: unknown) => (['file', 'dir'].includes(key) ? resolve(String(value)) : value);
	return `${part.factory} ${JSON.stringify(parsed, absolute)}`;
}

/** Fails when both configs use the same store: two installations would then share it. */
export function checkApart(from: Stores, to: Stores): void {
	const shared = names.filter((name) => from.places[name] === to.places[name]);
	if (shared.length === 0) return;
	throw new UserError(
		`${from.file} and ${to.file} name the same backend for ${shared.join(', ')}. ` +
			'Give the target a database, a folder or a bucket of its own.',
	);
}

/** Fails when a process runs the jobs. Cannot detect servers that have `role: api`. */
export async function checkStopped({ file, jobs }: Stores): Promise<void> {
	// A lease of 0 ms changes nothing. The store refuses it while a process holds the housekeeping lease.
	if (await jobs.lead('core.housekeeping', 'plinth copy', 0)) return;
	throw new UserError(
		`A server or worker runs on the jobs of ${file}. Stop all of them and run the same command again; ` +
			'after a crash, wait 15 seconds.',
	);
}

/**
 * Fails when the source is empty, when its blobs belong to another job store, and when the target contains data that is
 * not from this source.
 */
export async function checkContents(from: Stores, to: Stores): Promise<void> {
	const hasContents = (await hasJobs(from)) || (await has(from.records.dump())) || (await has(from.blobs.list('')));
	if (!hasContents) {
		throw new UserError(`${from.file} has nothing to copy. Check where its stores are: PLINTH_DATA_DIR, for example.`);
	}
	if ((await ownerOfBlobs(from.jobs, from.blobs)) === 'another store') {
		throw new UserError(`The blobs of ${from.file} belong to another job store. ${ownerRemedy}`);
	}
	const isFromSource = (await to.jobs.identity()) === (await from.jobs.identity());
	const foreign = [
		!isFromSource && (await hasJobs(to)) && 'jobs',
		!isFromSource && (await has(to.records.dump())) && 'records',
		!(await areBlobsFromSource(from, to)) && 'blobs',
	].filter((name) => name !== false);
	if (foreign.length === 0) return;
	throw new UserError(
		`${to.file} holds ${foreign.join(', ')} that are not from ${from.file}; nothing was changed. ` +
			'Empty the target, or name another one.',
	);
}

/** Whether the blobs of the target are from the source. True also when the target has no blobs. */
async function areBlobsFromSource(from: Stores, to: Stores): Promise<boolean> {
	const owner = await ownerOfBlobs(from.jobs, to.blobs);
	if (owner === 'this store') return true;
	const isForeign = owner === 'another store' && (await ownerOfBlobs(to.jobs, to.blobs)) === 'another store';
	return !isForeign && !(await has(to.blobs.list(''), ({ key }) => key !== ownerKey));
}

function hasJobs({ jobs }: Stores): Promise<boolean> {
	return has(jobs.dump(), ({ type }) => type !== 'store');
}

async function has<T>(items: AsyncIterable<T>, matches: (item: T) => boolean = () => true): Promise<boolean> {
	for await (const item of items) if (matches(item)) return true;
	return false;
}
