import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Child, type ChildOptions, startChild } from './child.ts';

/** Plinth in its own process, with its own data directory. */
export interface Server {
	readonly pid: number;
	readonly port: number;
	/** Sends a request with the key. Throws unless the response is 2xx. */
	fetch(path: string, init?: RequestInit): Promise<Response>;
	/** Creates a video, waits for its end and returns its id. */
	makeVideo(): Promise<string>;
	/** Collects garbage, then returns the bytes of heap and buffers in use. Needs {@link exposeGc}. */
	bytesInUse(): Promise<number>;
	stop(): Promise<void>;
}

/** The key of every request. */
export const keyHeaders = { 'x-api-key': 'key-of-the-bench' };

/** Node flags for a server whose memory is measured. */
export const exposeGc = ['--expose-gc'];

/** Starts the built-in composition, with a model and routes that cost nothing themselves. */
export async function startServer(options: ChildOptions = {}): Promise<Server> {
	const dataDir = await mkdtemp(join(tmpdir(), 'plinth-bench-'));
	const env = { PLINTH_DATA_DIR: dataDir, PLINTH_API_KEYS: keyHeaders['x-api-key'] };
	const child = startChild('server.ts', {
		quiet: true,
		...options,
		env: { ...env, ...options.env },
	});
	const { port } = await child.next<{ port: number }>();
	const fetchHere: Server['fetch'] = async (path, init = {}) => {
		const response = await fetch(`http://127.0.0.1:${port}${path}`, {
			...init,
			headers: { ...keyHeaders, ...init.headers },
		});
		if (!response.ok) throw new Error(await response.text());
		return response;
	};
	return {
		pid: child.pid,
		port,
		fetch: fetchHere,
		makeVideo: () => makeVideo(fetchHere),
		bytesInUse: () => bytesInUse(child),
		async stop() {
			await child.stop();
			await rm(dataDir, { recursive: true, force: true });
		},
	};
}

async function bytesInUse(child: Child): Promise<number> {
	child.send({ collect: true });
	return (await child.next<{ bytes: number }>()).bytes;
}

async function makeVideo(send: Server['fetch']): Promise<string> {
	const body = JSON.stringify({ model: 'bench-video', prompt: 'A lighthouse above the sea' });
	const headers = { 'content-type': 'application/json' };
	const created = await send('/v1/videos', { method: 'POST', body, headers });
	const { id } = (await created.json()) as { id: string };
	for (;;) {
		const { status } = (await (await send(`/v1/videos/${id}`)).json()) as { status: string };
		if (status === 'completed') return id;
		if (status === 'failed') throw new Error('The video failed.');
		await new Promise((resolve) => setTimeout(resolve, 20));
	}
}

/** Starts the smallest Node server: the same response to every request, or an event stream that stays open. */
export async function startBare(
	answer: {
		readonly headers: Readonly<Record<string, string>>;
		readonly body?: string;
		readonly heartbeat?: string;
	},
	execArgv: readonly string[] = [],
) {
	const child = startChild('bare.ts', { args: [JSON.stringify(answer)], execArgv });
	const { port } = await child.next<{ port: number }>();
	return { pid: child.pid, port, bytesInUse: () => bytesInUse(child), stop: () => child.stop() };
}
