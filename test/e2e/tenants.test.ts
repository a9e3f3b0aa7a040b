import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type RawClient, rawClient, type WireList } from '../support/client.ts';
import { fakeVideo } from '../support/fake-models.ts';
import { keyA, keyB, type Served, serveEmbedded } from '../support/serve.ts';

const unknownId = `video_${'0'.repeat(44)}`;

let served: Served;
let a: RawClient;
let b: RawClient;
let idOfA: string;

beforeAll(async () => {
	served = await serveEmbedded({ models: { 'instant-1': fakeVideo() } });
	a = rawClient(served.url, keyA);
	b = rawClient(served.url, keyB);
	const { id } = await a.create({ model: 'instant-1', prompt: 'mine' });
	idOfA = (await a.finished(id)).id;
});

afterAll(() => served?.stop());

describe("another tenant's video", () => {
	test.each([
		['GET', '/v1/videos/{id}'],
		['HEAD', '/v1/videos/{id}'],
		['GET', '/v1/videos/{id}/content'],
		['GET', '/v1/videos/{id}/content?variant=thumbnail'],
		['POST', '/v1/videos/{id}/remix'],
		['PUT', '/v1/videos/{id}'],
		['DELETE', '/v1/videos/{id}'],
	])('looks exactly like an unknown one to %s %s', async (method, path) => {
		const [foreign, unknown] = [
			await look(method, path, idOfA),
			await look(method, path, unknownId),
		];
		expect(foreign).toEqual(unknown);
		expect(foreign.status).toBeGreaterThanOrEqual(404);
	});

	test('is still there after all that', async () => {
		expect((await a.send(`/v1/videos/${idOfA}`)).status).toBe(200);
	});

	test('is in no list of mine', async () => {
		expect((await b.json<WireList>('/v1/videos')).data).toEqual([]);
	});

	test('is a position in my list like any other', async () => {
		const mine = await b.create({ model: 'instant-1', prompt: 'newer' });
		const page = await b.json<WireList>(`/v1/videos?order=asc&after=${idOfA}`);
		expect(page.data.map(({ id }) => id)).toEqual([mine.id]);
	});

	test('covers every route with the id of a video', () => {
		const routes = served.app.tree().parts.flatMap((part) => part.routes);
		const withId = routes.filter((route) => /\/v1\/videos\/\{id\}/.test(route));
		expect(withId.sort()).toEqual([
			'DELETE /v1/videos/{id}',
			'GET /v1/videos/{id}',
			'GET /v1/videos/{id}/content',
			'POST /v1/videos/{id}/remix',
		]);
	});
});

/** Everything that a client can see of an answer, but what differs between any two requests. */
async function look(method: string, path: string, id: string) {
	const init =
		method === 'POST'
			? { headers: { 'content-type': 'application/json' }, body: '{"prompt":"x"}' }
			: {};
	const answer = await b.send(path.replace('{id}', id), { method, ...init });
	const { status, headers } = answer;
	const changing = ['x-request-id', 'date', 'openai-processing-ms'];
	const kept = [...headers].filter(([name]) => !changing.includes(name));
	return { status, headers: kept, body: await answer.text() };
}
