import { afterEach, expect, test, vi } from 'vitest';
import { ApiError, toApiError } from '../client/src/api/error.ts';
import type { Call } from '../client/src/views/playground/call/call.ts';

interface TestRun {
	readonly state: { readonly value: string };
	readonly error: { readonly value?: ApiError };
	readonly result: { readonly value?: Readonly<Record<string, unknown>> };
}

interface TestDesk {
	readonly files: { readonly value: Readonly<Record<string, readonly File[]>> };
	readonly runs: { readonly value: readonly TestRun[] };
	readonly made: Promise<unknown>;
	setFiles(name: string, files: readonly File[]): void;
	setMade(name: string, file: Promise<File>): void;
	start(call: Call, work: unknown, replaced?: TestRun): void;
}

interface Asked {
	readonly text: string;
	readonly files: readonly File[];
}

// Read by the modules of the page when they are imported.
vi.stubGlobal('location', { href: 'http://page.test/', hash: '' });
// Imported by address, because the types of Preact would add those of browsers to all tests.
const load = (path: string) => import(/* @vite-ignore */ new URL(`../client/src/${path}`, import.meta.url).href);
const { Desk }: { Desk: new (example: object) => TestDesk } = await load('views/playground/desk/desk.ts');
const { makeVideo } = await load('views/playground/work/video.ts');
const { makePictures } = await load('views/playground/work/pictures.ts');
const { speak, transcribe } = await load('views/playground/work/sound.ts');
const { ask, exchanges } = await load('views/playground/chat/conversation.ts');
const { sendForm } = await load('api/form.ts');
const { getJson } = await load('api/request.ts');

/** A call with fields, which are sent to no server. */
const call = (fields: Call['fields'], more: Partial<Call> = {}): Call => ({
	path: '/v1/x',
	encoding: 'json',
	fields,
	files: [],
	...more,
});

/** Answers each request in its turn; the last answer is repeated. Returns the requests. */
function answered(...answers: readonly (() => Response)[]): string[] {
	const asked: string[] = [];
	vi.stubGlobal('fetch', async (url: string, { method }: RequestInit) => {
		asked.push(`${method} ${new URL(url).pathname}`);
		return (answers[asked.length - 1] ?? answers.at(-1))?.();
	});
	return asked;
}

const events =
	(...data: readonly object[]) =>
	() =>
		new Response(data.map((each) => `data: ${JSON.stringify(each)}\n\n`).join(''));

/** The run of some work, when it has ended. */
async function ended(desk: TestDesk) {
	await vi.waitFor(() => expect(desk.runs.value[0]?.state.value).not.toBe('running'));
	const [run] = desk.runs.value;
	return { run, state: run?.state.value, result: run?.result.value, error: run?.error.value };
}

afterEach(() => {
	vi.unstubAllGlobals();
	vi.useRealTimers();
});

test('only the newest file that is made is set, and none after the files were set', async () => {
	const desk = new Desk({});
	const [first, second] = [Promise.withResolvers<File>(), Promise.withResolvers<File>()];
	desk.setMade('mask', first.promise);
	desk.setMade('mask', second.promise);
	second.resolve(new File([''], 'second'));
	await desk.made;
	first.resolve(new File([''], 'first'));
	await first.promise;
	expect(desk.files.value.mask?.map(({ name }) => name)).toEqual(['second']);

	desk.setMade('mask', Promise.resolve(new File([''], 'third')));
	desk.setFiles('mask', []);
	await desk.made;
	expect(desk.files.value.mask).toEqual([]);
});

const job = { id: 'video_1', object: 'video', model: 'm', progress: 1, created_at: 1, completed_at: 2 };

test('a video whose file could not be loaded is not made again', async () => {
	const completed = () => Response.json({ ...job, status: 'completed' });
	const broken = () => new Response('', { status: 503 });
	const asked = answered(completed, completed, broken, completed, () => new Response('clip'));
	const desk = new Desk({});
	desk.start(call({ prompt: 'x' }, { path: '/v1/videos' }), makeVideo);
	const { run, state } = await ended(desk);
	expect(state).toBe('failed');
	desk.start(call({ prompt: 'x' }, { path: '/v1/videos' }), makeVideo, run);
	expect((await ended(desk)).state).toBe('done');
	expect(asked.filter((each) => each.startsWith('POST'))).toEqual(['POST /v1/videos']);
});

test('a video is followed over an overloaded server', async () => {
	vi.useFakeTimers();
	const queued = () => Response.json({ ...job, progress: 0, status: 'queued' });
	const broken = () => new Response('', { status: 503 });
	const completed = () => Response.json({ ...job, status: 'completed' });
	answered(queued, broken, broken, completed, () => new Response('clip'));
	const desk = new Desk({});
	desk.start(call({ prompt: 'x' }, { path: '/v1/videos' }), makeVideo);
	await vi.advanceTimersByTimeAsync(5_000);
	expect(desk.runs.value[0]?.state.value).toBe('done');
});

const picture = (type: string, image_index: number, b64_json?: string) => ({ type, image_index, b64_json });

test('a stream whose last picture was withheld is done, without unfinished pictures', async () => {
	answered(
		events(picture('image_generation.completed', 0, 'YQ=='), picture('image_generation.partial_image', 1, 'Yg==')),
	);
	const desk = new Desk({});
	desk.start(call({ stream: true }), makePictures);
	const { state, result } = await ended(desk);
	expect([state, result?.pictures]).toMatchObject(['done', [{ isPartial: false }, undefined]]);
});

test('a stream without a finished picture is a broken connection', async () => {
	answered(events(picture('image_generation.partial_image', 0, 'Yg==')));
	const desk = new Desk({});
	desk.start(call({ stream: true }), makePictures);
	expect((await ended(desk)).error?.code).toBe('unreachable');
});

test('a picture of another server stays a link, and gets no request', async () => {
	const data = [{ url: 'https://store.test/v1/a.png?signature=x' }, { url: 'http://own.test/ai/v1/images/results/b' }];
	const asked = answered(
		() => Response.json({ data, output_format: 'png' }),
		() => new Response('b'),
	);
	const desk = new Desk({});
	desk.start(call({}), makePictures);
	const { result } = await ended(desk);
	expect(asked).toEqual(['POST /v1/x', 'GET /v1/images/results/b']);
	expect(result?.pictures).toMatchObject([{ address: data[0]?.url, blob: undefined }, { isPartial: false }]);
});

test('speech has the format that was chosen, or else the default of the server', async () => {
	answered(() => new Response('sound'));
	for (const [fields, format] of [
		[{}, 'wav'],
		[{ response_format: 'opus' }, 'opus'],
	] as const) {
		const desk = new Desk({});
		desk.start(call(fields, { defaults: { response_format: 'wav' } }), speak);
		expect((await ended(desk)).result?.format).toBe(format);
	}
});

test('a transcript whose stream has no last event has failed', async () => {
	const delta = { type: 'transcript.text.delta', delta: 'a' };
	answered(events(delta), events(delta, { type: 'transcript.text.done', text: 'ab' }));
	const desk = new Desk({});
	desk.start(call({ stream: true }), transcribe);
	expect(await ended(desk)).toMatchObject({ state: 'failed', result: { text: 'a' } });
	desk.start(call({ stream: true }), transcribe);
	expect(await ended(desk)).toMatchObject({ state: 'done', result: { text: 'ab' } });
});

test('a question that is asked again keeps its place', async () => {
	answered(() => Response.json({ choices: [{ message: { content: 'yes' } }] }));
	const question = (text: string): Asked => ({ text, files: [] });
	await ask(question('one'), call({}));
	await ask(question('two'), call({}));
	await ask(question('one'), call({}), exchanges.value[0]);
	expect(exchanges.value.map(({ text }: Asked) => text)).toEqual(['one', 'two']);
});

test('only a broken connection is called unreachable', async () => {
	expect(toApiError(new TypeError('x is not a function'))).toMatchObject({ code: null });
	answered(() => new Response(new ReadableStream({ start: (control) => control.error(new TypeError('network')) })));
	await expect(getJson('/v1/x')).rejects.toMatchObject({ code: 'unreachable' });
	vi.stubGlobal('fetch', () => Promise.reject(new TypeError('Failed to fetch')));
	await expect(getJson('/v1/x')).rejects.toBeInstanceOf(ApiError);
});

test('an upload fails when its answer is not JSON', async () => {
	class Request extends EventTarget {
		readonly upload = new EventTarget();
		readonly status = 200;
		readonly responseText = '<html>';
		open() {}
		setRequestHeader() {}
		send() {
			this.dispatchEvent(new Event('loadend'));
		}
	}
	vi.stubGlobal('XMLHttpRequest', Request);
	const sent = sendForm('/v1/files', new FormData(), new AbortController().signal, () => {});
	await expect(sent).rejects.toThrow(SyntaxError);
});
