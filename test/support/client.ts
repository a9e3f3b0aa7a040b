import { setTimeout as delay } from 'node:timers/promises';
import { eventually } from '@plinth/testing';
import { watchResponses } from './openapi/response-watch.ts';

/** The members of a video object that tests read by name. */
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
	/** Present on a completed video. */
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

/** A client without an SDK: `fetch` with a key and a base URL. */
export interface RawClient {
	/** Sends any request. `path` begins with a slash. */
	send(path: string, init?: RequestInit): Promise<Response>;
	/** Sends a GET and parses the response as JSON, whatever its status. */
	json<T>(path: string): Promise<T>;
	/** Posts JSON. */
	post(path: string, body: unknown): Promise<Response>;
	/** Creates a video of 2 seconds and 640x480, unless `fields` override this. */
	create(fields: Readonly<Record<string, unknown>>): Promise<WireVideo>;
	/** Polls a video until it is completed or failed. */
	finished(id: string, timeoutMs?: number): Promise<WireVideo>;
	/** Creates a video, waits for it and returns its bytes. */
	render(fields: Readonly<Record<string, unknown>>, timeoutMs?: number): Promise<Uint8Array>;
	/** Downloads bytes. Throws when the status is not 200. */
	bytes(path: string): Promise<Uint8Array>;
}

const pollMs = 15;

type Fetch = (request: Request) => Promise<Response>;

/**
 * Makes a client for one key. `transport` sends the requests, by default over the network. Throws when a response does
 * not match the server's own OpenAPI document.
 */
export function rawClient(url: string, key: string, transport: Fetch = fetch): RawClient {
	const checker = watchResponses(url, transport);
	const send: RawClient['send'] = async (path, init = {}) => {
		const headers = new Headers(init.headers);
		headers.set('x-api-key', key);
		const request = new Request(`${url}${path}`, { ...init, headers });
		const response = await checker.watch(request, () => transport(request));
		if (checker.violations.length > 0) throw new Error(checker.violations.join('\n'));
		return response;
	};
	const json = async <T>(path: string) => (await (await send(path)).json()) as T;
	const post: RawClient['post'] = (path, body) => {
		const headers = { 'content-type': 'application/json' };
		return send(path, { method: 'POST', headers, body: JSON.stringify(body) });
	};
	const bytes: RawClient['bytes'] = async (path) => {
		const response = await send(path);
		if (response.status === 200) return new Uint8Array(await response.arrayBuffer());
		throw new Error(`GET ${path} answered ${response.status}: ${await response.text()}`);
	};
	const create: RawClient['create'] = async (fields) => {
		const response = await post('/v1/videos', { seconds: '2', size: '640x480', ...fields });
		if (response.status === 201) return (await response.json()) as WireVideo;
		throw new Error(`POST /v1/videos answered ${response.status}: ${await response.text()}`);
	};
	const finished: RawClient['finished'] = async (id, timeoutMs = 30_000) => {
		let video = await json<WireVideo>(`/v1/videos/${id}`);
		const isDone = async () => {
			if (video.status === 'completed' || video.status === 'failed') return true;
			// `eventually` polls without a pause, which would slow the renderer down.
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

/** Reads the error object of a failed response. */
export async function failure(response: Response): Promise<WireFailure['error']> {
	return ((await response.json()) as WireFailure).error;
}

/** Every video of a tenant, from all pages of the list. */
export async function allVideos(client: RawClient): Promise<readonly WireVideo[]> {
	const found: WireVideo[] = [];
	for (let after = ''; ; ) {
		const page = await client.json<WireList>(`/v1/videos?limit=100${after}`);
		found.push(...page.data);
		if (!page.has_more) return found;
		after = `&after=${page.last_id}`;
	}
}
