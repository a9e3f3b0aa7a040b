import { webhooks } from '@plinth/plugin-webhooks';
import { eventually } from '@plinth/testing';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type RawClient, rawClient, type WireList } from '../support/client.ts';
import { ClockAhead } from '../support/clock-ahead.ts';
import { openEvents } from '../support/event-stream.ts';
import { fakeVideo, gate, heldVideo } from '../support/fake-models.ts';
import { ApiDocument, type Operation } from '../support/openapi/document.ts';
import { storeFile } from '../support/openapi/stored-files.ts';
import { keyA, keyB, type Served, serveEmbedded } from '../support/serve.ts';

/** Resources of a tenant: the paths that take their ids, and the states in which another tenant may request them. */
interface Subject {
	/** A path template up to its id. */
	readonly path: string;
	/** A well-formed id that does not exist. */
	readonly unknownId: string;
	/** Valid bodies for the owner, by operation. */
	readonly bodies: Readonly<Record<string, unknown>>;
	/** Creates one resource in each state, and returns the ids by state. */
	make(owner: RawClient): Promise<Readonly<Record<string, string>>>;
}

/** Ids that belong to no tenant: models, disabled operations, and signed URLs, which are valid for any client. */
const ownerless = [
	'/v1/models/{id}',
	'/v1/videos/characters/{id}',
	'/v1/images/results/{name}',
	'/v1/videos/results/{name}',
];

const held = gate();
const clock = new ClockAhead();

const videos: Subject = {
	path: '/v1/videos/{id}',
	unknownId: `video_${'0'.repeat(44)}`,
	bodies: { 'POST /v1/videos/{id}/remix': { prompt: 'Mine now' } },
	async make(owner) {
		const create = async (fields: object) => {
			const { id } = await owner.create({ model: 'instant-1', prompt: 'mine', ...fields });
			return id;
		};
		const expired = await create({});
		await owner.finished(expired);
		clock.aheadMs = 25 * 60 * 60 * 1_000;
		const gone = await owner.send(`/v1/videos/${expired}/content`);
		expect(gone.status).toBe(404);
		const [completed, failed, deleted] = [
			await create({}),
			await create({ prompt: 'fail: for a reason of its own' }),
			await create({}),
		];
		for (const id of [completed, failed, deleted]) await owner.finished(id);
		await owner.send(`/v1/videos/${deleted}`, { method: 'DELETE' });
		const running = await create({ model: 'held-1' });
		await held.reached;
		return { completed, failed, running, expired, deleted };
	},
};

const files: Subject = {
	path: '/v1/files/{id}',
	unknownId: `file-${'0'.repeat(44)}`,
	bodies: {},
	async make(owner) {
		const stored = await storeFile(owner, 'mine');
		const deleted = await storeFile(owner, 'mine no more');
		await owner.send(`/v1/files/${deleted}`, { method: 'DELETE' });
		return { stored, deleted };
	},
};

const endpoints: Subject = {
	path: '/v1/webhook_endpoints/{id}',
	unknownId: `whe_${'0'.repeat(44)}`,
	bodies: {
		'POST /v1/webhook_endpoints/{id}': { name: 'Mine now' },
		'POST /v1/webhook_endpoints/{id}/rotate_secret': {},
		'POST /v1/webhook_endpoints/{id}/test': { event_type: 'video.completed' },
	},
	async make(owner) {
		const create = async () => {
			const fields = { name: 'mine', url: receiver, event_types: ['video.completed'] };
			const response = await owner.post('/v1/webhook_endpoints', fields);
			return ((await response.json()) as { id: string }).id;
		};
		const [enabled, deleted] = [await create(), await create()];
		await owner.send(`/v1/webhook_endpoints/${deleted}`, { method: 'DELETE' });
		return { enabled, deleted };
	},
};

/**
 * The deliveries to the endpoint of the owner and to the callback of a job. Both stay pending, because nothing listens
 * there.
 */
const deliveries: Subject = {
	path: '/v1/webhook_deliveries/{id}',
	unknownId: `whd_${'0'.repeat(44)}`,
	bodies: {},
	async make(owner) {
		const fields = { model: 'instant-1', prompt: 'told', callback_url: receiver };
		await owner.finished((await owner.create(fields)).id);
		type Sent = { readonly id: string; readonly webhook_endpoint_id: string | null };
		let sent: readonly Sent[] = [];
		await eventually('both deliveries are listed', async () => {
			sent = (await owner.json<{ data: Sent[] }>('/v1/webhook_deliveries')).data;
			return new Set(sent.map((each) => each.webhook_endpoint_id === null)).size === 2;
		});
		const idWhere = (isCallback: boolean) =>
			sent.find((each) => (each.webhook_endpoint_id === null) === isCallback)?.id ?? '';
		return { 'to an endpoint': idWhere(false), 'to a callback': idWhere(true) };
	},
};

const subjects = [videos, files, endpoints, deliveries];

/** A port without a listener: that of the discard protocol (RFC 863). */
const receiver = 'http://127.0.0.1:9/';

let served: Served;
let operations: readonly Operation[];
let a: RawClient;
let b: RawClient;
const idsOf = new Map<Subject, Readonly<Record<string, string>>>();

beforeAll(async () => {
	served = await serveEmbedded({
		clock,
		models: { 'instant-1': fakeVideo(), 'held-1': heldVideo(held) },
		plugins: { webhooks: webhooks({ allowPrivate: true }) },
	});
	operations = new ApiDocument(served.app.openapi()).operations;
	a = rawClient(served.url, keyA);
	b = rawClient(served.url, keyB);
	for (const subject of subjects) idsOf.set(subject, await subject.make(a));
});

afterAll(async () => {
	held.open();
	await served?.stop();
});

/** The operations with an id in their path, and the methods that these paths do not support. */
function operationsOn({ path }: Subject): readonly Pick<Operation, 'name' | 'method' | 'path'>[] {
	const own = operations.filter((each) => each.path.startsWith(path));
	const paths = new Set(own.map((each) => each.path));
	const odd = ['HEAD', 'PUT', 'PATCH', 'OPTIONS'].flatMap((method) =>
		[...paths].map((each) => ({ name: `${method} ${each}`, method, path: each })),
	);
	return [...own, ...odd];
}

describe('an id of another tenant', () => {
	test.each(subjects)('is answered exactly like an unknown one, in every state: $path', async (subject) => {
		const ids = idsOf.get(subject) ?? {};
		for (const { name, method, path } of operationsOn(subject)) {
			const unknown = await snapshot(name, method, path, subject, subject.unknownId);
			if (method !== 'OPTIONS') expect(unknown.status, name).toBeGreaterThanOrEqual(404);
			for (const [state, id] of Object.entries(ids)) {
				expect(await snapshot(name, method, path, subject, id), `${name}: ${state}`).toEqual(unknown);
			}
		}
	});

	test('is answered like a deleted one of the same tenant', async () => {
		const { id } = await b.create({ model: 'instant-1', prompt: 'gone' });
		await b.finished(id);
		await b.send(`/v1/videos/${id}`, { method: 'DELETE' });
		const [own, ofOtherTenant] = await Promise.all(
			[id, idsOf.get(videos)?.completed ?? ''].map((each) =>
				snapshot('GET /v1/videos/{id}', 'GET', '/v1/videos/{id}', videos, each),
			),
		);
		expect(ofOtherTenant).toEqual(own);
	});

	test('is tested for every route with an id', () => {
		const withId = operations.filter(({ path }) => path.includes('{'));
		const known = [...subjects.map(({ path }) => path), ...ownerless];
		const unknown = withId.filter(({ path }) => !known.some((prefix) => path.startsWith(prefix)));
		expect(unknown.map(({ name }) => name)).toEqual([]);
		const withBody = withId.filter(({ requestBody }) => requestBody);
		const bodies = subjects.flatMap((subject) => Object.keys(subject.bodies));
		expect(withBody.map(({ name }) => name).sort()).toEqual(bodies.sort());
		expect(withId.map(({ name }) => name)).toEqual(
			expect.arrayContaining(['DELETE /v1/videos/{id}', 'GET /v1/videos/{id}/content']),
		);
	});

	test('still works for its owner afterwards', async () => {
		const { completed, failed, running, expired } = idsOf.get(videos) ?? {};
		const { data } = await a.json<WireList>('/v1/videos?limit=100&order=asc');
		expect(data.map(({ id, status }) => [id, status]).slice(0, 4)).toEqual([
			[expired, 'completed'],
			[completed, 'completed'],
			[failed, 'failed'],
			[running, 'in_progress'],
		]);
		for (const [subject, state] of [
			[files, 'stored'],
			[endpoints, 'enabled'],
			[deliveries, 'to an endpoint'],
			[deliveries, 'to a callback'],
		] as const) {
			const path = subject.path.replace('{id}', idsOf.get(subject)?.[state] ?? '');
			expect((await a.send(path)).status, `${path}: ${state}`).toBe(200);
		}
	});

	test.each(subjects)('is in no list of another tenant: $path', async (subject) => {
		const list = `${subject.path.replace('/{id}', '')}?limit=100`;
		const theirs = Object.values(idsOf.get(subject) ?? {});
		const idsIn = async (client: RawClient) => {
			const { data } = await client.json<{ data: readonly { id: string }[] }>(list);
			return data.map(({ id }) => id).filter((id) => theirs.includes(id));
		};
		expect((await idsIn(a)).length).toBeGreaterThan(0);
		expect(await idsIn(b)).toEqual([]);
	});
});

describe('an id of another tenant as a cursor', () => {
	/** The lists with a cursor, and the resources that each lists. */
	const lists = () =>
		operations
			.filter(({ parameters = [] }) => parameters.some(({ name }) => name === 'after'))
			.map(({ path }) => ({
				path,
				subject: subjects.find((subject) => subject.path.startsWith(`${path}/{`)),
			}));

	test('is a valid position, on every list', async () => {
		expect(lists().map(({ path }) => path)).toContain('/v1/videos');
		for (const { path, subject } of lists()) {
			if (!subject) throw new Error(`No resource is defined for the list ${path}.`);
			for (const [state, ofOtherTenant] of Object.entries(idsOf.get(subject) ?? {})) {
				const [theirs, nobodys] = [
					await seen(b, `${path}?after=${ofOtherTenant}`),
					await seen(b, `${path}?after=${beside(ofOtherTenant)}`),
				];
				expect(theirs, `${path}: ${state}`).toEqual(nobodys);
				expect(theirs.status).toBe(200);
			}
		}
	});

	test('is followed by the newer or older videos of the requesting tenant', async () => {
		const { id } = await b.create({ model: 'instant-1', prompt: 'newer' });
		await b.finished(id);
		const page = async (order: string) =>
			(await b.json<WireList>(`/v1/videos?order=${order}&after=${idsOf.get(videos)?.completed}`)).data;
		expect((await page('asc')).map((video) => video.id)).toEqual([id]);
		expect(await page('desc')).toEqual([]);
	});
});

describe("an event of another tenant's job", () => {
	test('is in no stream of the requesting tenant', async () => {
		const stream = await openEvents(`${served.url}/v1/events`, keyB);
		const [own, theirs] = await Promise.all(
			[b, a].map((owner) => owner.create({ model: 'instant-1', prompt: 'told live' })),
		);
		await Promise.all([b.finished(own?.id ?? ''), a.finished(theirs?.id ?? '')]);
		// The log already contains their final events, and the next job of this tenant comes after them.
		const last = await b.create({ model: 'instant-1', prompt: 'the last' });
		await eventually('the last one ends', () =>
			stream.frames.some(({ event, data }) => event === 'job.completed' && data.data.id === last.id),
		);
		stream.close();
		const told = new Set(stream.frames.map(({ data }) => data.data.id));
		expect([told.has(own?.id), told.has(theirs?.id)]).toEqual([true, false]);
	});
});

/** An id that differs in one digit. */
function beside(id: string): string {
	return `${id.slice(0, -1)}${id.endsWith('0') ? '1' : '0'}`;
}

function snapshot(name: string, method: string, path: string, subject: Subject, id: string) {
	const body = subject.bodies[name];
	const init = body ? { headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) } : {};
	return seen(b, path.replace('{id}', id), { method, ...init });
}

/** The visible parts of a response, without the parts that differ between any two requests. */
async function seen(client: RawClient, path: string, init: RequestInit = {}) {
	const response = await client.send(path, init);
	const { status, headers } = response;
	const changing = ['x-request-id', 'date', 'openai-processing-ms'];
	const kept = [...headers].filter(([name]) => !changing.includes(name));
	return { status, headers: kept, body: await response.text() };
}
