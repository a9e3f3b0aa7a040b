import { eventually } from '@plinth/testing';
import { afterAll, beforeAll, expect, onTestFailed, test } from 'vitest';
import { allVideos, type RawClient } from '../../support/client.ts';
import { createFleet, type Fleet } from '../../support/fleet.ts';
import { type SmallDisk, smallDisk } from '../../support/small-disk.ts';
import { printTable } from '../../support/table.ts';
import { type OwnPostgres, ownPostgres } from '../support/postgres.ts';
import { type Asked, checkRefusals, readPath, requestVideo, unfinished } from './support.ts';

const jobs = { leaseMs: 4_000, heartbeatMs: 500, sweepMs: 500, maxPendingPerTenant: 0, concurrency: 4 };

let disk: SmallDisk;
let server: OwnPostgres;
let fleet: Fleet;
let url: string;

beforeAll(async () => {
	disk = await smallDisk(64);
	server = await ownPostgres([], { disk: disk.dir });
	url = await server.database();
	fleet = await createFleet('full', { jobs, database: url });
});

afterAll(async () => {
	await fleet?.remove();
	await server?.remove();
	await disk?.remove();
});

/** Creates jobs with long prompts until the disk has no space for another one, and some more. */
async function fillUp(client: RawClient): Promise<readonly Asked[]> {
	const answers: Asked[] = [];
	const refused = () => answers.filter(({ status }) => status !== 201).length;
	for (let n = 0; refused() < 10; n += 1) {
		if (n > 2_000) throw new Error('The disk never became full.');
		// Space that a delete or a vacuum has freed is filled at once.
		disk.fill();
		answers.push(await requestVideo(client, `filler ${n} ms=10 ${'no space '.repeat(400)}`));
	}
	return answers;
}

async function remove(client: RawClient, id: string): Promise<number> {
	return (await client.send(`/v1/videos/${id}`, { method: 'DELETE' })).status;
}

test('on the full disk of PostgreSQL creates are refused; reads, lists, downloads and deletes work', async () => {
	onTestFailed(() => console.error(fleet.output()));
	const [{ client }] = await Promise.all([fleet.serve({ role: 'api' }), fleet.work()]);
	const made = await Promise.all(Array.from({ length: 30 }, (_, n) => requestVideo(client, `first ${n} ms=10`)));
	const done = made.flatMap(({ id }) => id ?? []);
	expect(await unfinished(url, done)).toEqual([]);
	const running = await requestVideo(client, 'running ms=3000');
	await eventually(
		'it runs',
		async () => (await client.json<{ status: string }>(`/v1/videos/${running.id}`)).status === 'in_progress',
	);

	const answers = await fillUp(client);
	const accepted = answers.flatMap(({ id }) => id ?? []);
	const [first = '', ...rest] = done;
	const reads = await Promise.all(done.map((id) => readPath(client, `/v1/videos/${id}`)));
	const listed = (await allVideos(client)).map(({ id }) => id);
	const bytes = await client.bytes(`/v1/videos/${first}/content`);
	const deletes: number[] = [];
	for (const id of [...rest, ...accepted]) {
		disk.fill();
		deletes.push(await remove(client, id));
	}

	await disk.empty();
	const again: Asked[] = [];
	await eventually(
		'jobs are stored again',
		async () => again[again.push(await requestVideo(client, 'again ms=10')) - 1]?.status === 201,
	);
	const failed = await unfinished(url, [running.id ?? '', ...again.flatMap(({ id }) => id ?? [])]);

	printTable('a full disk of PostgreSQL', {
		'created on it': accepted.length,
		'refused with 507, with 503': [507, 503]
			.map((code) => answers.filter(({ status }) => status === code).length)
			.join(', '),
		'deleted on it': deletes.filter((status) => status === 200).length,
		'deletes refused': deletes.filter((status) => status !== 200).length,
	});
	checkRefusals(answers, [201], [507, 503]);
	expect(reads.map(({ status }) => status)).toEqual(done.map(() => 200));
	expect(listed).toEqual(expect.arrayContaining([...done, ...accepted]));
	expect(bytes.length).toBeGreaterThan(1_000);
	expect(new Set(deletes)).toEqual(new Set([200]));
	expect(failed).toEqual([]);
});
