import { setTimeout as delay } from 'node:timers/promises';
import { eventually } from '@plinth/testing';
import { watchReplies } from './openapi/watch.ts';

/** A video object, as far as tests look at it by name. */
export interface WireVideo {
	readonly id: string;
	readonly object: string;
	readonly model: string;
	readonly status: 'queued' | 'in_progress' | 'completed' | 'failed';
	readonly progress: number;
	readonly progress_percent: number;
	readonly created_at: number;
	readonly completed_at: number | null;
	readonly expires_at: number | null;
	readonly prompt: string | null;
	readonly size: string;
	readonly seconds: string;
	readonly remixed_from_video_id: string | null;
	/** Of a completed video. */
	readonly url?: string;
	readonly error: { readonly code: string; readonly message: string } | null;
}

/** A page of videos. */
export interface WireList {
	readonly object: string;
	readonly data: readonly WireVideo[];
	readonly first_id: string | null;
	readonly last_id: string | null;
	readonly has_more: boolean;
}

/** The body of a failed request. */
export interface WireFailure {
	readonly error: {
		readonly message: string;
		readonly type: string;
		readonly param: string | null;
		readonly code: string | null;
	};
}

/** A raw client: `fetch` with a key and an address. */
export interface RawClient {
	/** Any request; `path` begins with a slash. */
	send(path: string, init?: RequestInit): Promise<Response>;
	/** A GET whose answer is JSON, whatever its status. */
	json<T>(path: string): Promise<T>;
	/** A POST of JSON. */
	post(path: string, body: unknown): Promise<Response>;
	/** Creates a video of 2 seconds and 640x480, unless `fields` say otherwise. */
	create(fields: Readonly<Record<string, unknown>>): Promise<WireVideo>;
	/** Polls a video until it is completed or failed. */
	finished(id: string, timeoutMs?: number): Promise<WireVideo>;
	/** Creates a video, waits for it and returns its bytes. */
	render(fields: Readonly<Record<string, unknown>>, timeoutMs?: number): Promise<Uint8Array>;
	/** Downloads bytes; throws on any other status than 200. */
	bytes(path: string): Promise<Uint8Array>;
}

const pollMs = 15;

type Fetch = (request: Request) => Promise<Response>;

/**
 * Makes a client for one key. `door` carries the requests: the network unless set. An answer that the server's own document does
 * not allow is thrown as an error.
 */
export function rawClient(url: string, key: string, door: Fetch = fetch): RawClient {
	const replies = watchReplies(url, door);
	const send: RawClient['send'] = async (path, init = {}) => {
		const headers = new Headers(init.headers);
		headers.set('x-api-key', key);
		const request = new Request(`${url}${path}`, { ...init, headers });
		const answer = await replies.watch(request, () => door(request));
		if (replies.complaints.length > 0) throw new Error(replies.complaints.join('\n'));
		return answer;
	};
	const json = async <T>(path: string) => (await (await send(path)).json()) as T;
	const post: RawClient['post'] = (path, body) => {
		const headers = { 'content-type': 'application/json' };
		return send(path, { method: 'POST', headers, body: JSON.stringify(body) });
	};
	const bytes: RawClient['bytes'] = async (path) => {
		const answer = await send(path);
		if (answer.status === 200) return new Uint8Array(await answer.arrayBuffer());
		throw new Error(`GET ${path} answered ${answer.status}: ${await answer.text()}`);
	};
	const create: RawClient['create'] = async (fields) => {
		const answer = await post('/v1/videos', { seconds: '2', size: '640x480', ...fields });
		if (answer.status === 201) return (await answer.json()) as WireVideo;
		throw new Error(`POST /v1/videos answered ${answer.status}: ${await answer.text()}`);
	};
	const finished: RawClient['finished'] = async (id, timeoutMs = 30_000) => {
		let video = await json<WireVideo>(`/v1/videos/${id}`);
		const isDone = async () => {
			if (video.status === 'completed' || video.status === 'failed') return true;
			// `eventually` asks again at once: that would take the processor from the renderer.
			await delay(pollMs);
			video = await json<WireVideo>(`/v1/videos/${id}`);
			return false;
		};
		await eventually(`${id} is completed or failed`, isDone, timeoutMs);
		return video;
	};
	const render: RawClient['render'] = async (fields, timeoutMs) => {
		const { id } = await create(fields);
		const { status, error } = await finished(id, timeoutMs);
		if (status !== 'completed') throw new Error(`The video failed: ${error?.message}`);
		return bytes(`/v1/videos/${id}/content`);
	};
	return { send, json, post, bytes, create, finished, render };
}

/** Reads the error object of a failed answer. */
export async function failure(answer: Response): Promise<WireFailure['error']> {
	return ((await answer.json()) as WireFailure).error;
}

/** Every video of a tenant, page by page. */
export async function allVideos(client: RawClient): Promise<readonly WireVideo[]> {
	const found: WireVideo[] = [];
	for (let after = ''; ; ) {
		const page = await client.json<WireList>(`/v1/videos?limit=100${after}`);
		found.push(...page.data);
		if (!page.has_more) return found;
		after = `&after=${page.last_id}`;
	}
}
