import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { type WebSocket, WebSocketServer } from 'ws';
import { classes } from './classes.ts';
import { type Executed, Executor, type Extra, type QueueItem, type Script } from './executor.ts';
import { makeFile } from './files.ts';
import { type Prompt, validatePrompt } from './validate.ts';

/** A request, as the log of the server keeps it. */
export interface Asked {
	readonly method: string;
	/** With the query. */
	readonly path: string;
	readonly headers: IncomingMessage['headers'];
	readonly body: Buffer;
}

type Route = (asked: Asked, match: RegExpExecArray, res: ServerResponse) => void | Promise<void>;

/** A ComfyUI whose nodes do nothing: queue, history, socket and files as in `server.py` and `execution.py`. */
export class ScriptedComfy {
	/** What happens during the work; a test may replace it. */
	script: Script;
	readonly asked: Asked[] = [];
	/** The headers of each web socket. */
	readonly socketHeaders: IncomingMessage['headers'][] = [];
	/** Changes or ends an answer; true: it is done. Tests cut and delay with it. */
	intercept: ((asked: Asked, res: ServerResponse) => boolean | Promise<boolean>) | undefined;
	/** Files by `type/subfolder/name`. They outlast a restart. */
	readonly files = new Map<string, Buffer>();
	/** How often each prompt has begun, over all restarts. */
	readonly begun = new Map<string, number>();
	freed = 0;
	#number = 0;
	#queue: QueueItem[] = [];
	#running: QueueItem | undefined;
	#history = new Map<string, Executed & { prompt: QueueItem }>();
	#executor = this.#createExecutor();
	#wakeUp = Promise.withResolvers<void>();
	#life = 0;
	readonly #clients = new Map<string, { readonly socket: WebSocket; hasMetadata: boolean }>();
	readonly #sockets = new Set<Socket>();
	#http: Server | undefined;
	#port = 0;

	constructor(script: Script = {}) {
		this.script = script;
	}

	get url(): string {
		return `http://127.0.0.1:${this.#port}`;
	}

	/** Ids of the prompts that run or wait. */
	get busy(): readonly string[] {
		return [...(this.#running ? [this.#running] : []), ...this.#queue].map(([, id]) => id);
	}

	get running(): string | undefined {
		return this.#running?.[1];
	}

	/** Open sockets of clients: requests and web sockets. */
	get connections(): number {
		return this.#sockets.size;
	}

	/** Bodies of the requests of a path. */
	bodies(path: string): readonly Record<string, unknown>[] {
		const found = this.asked.filter((one) => one.method === 'POST' && one.path === path);
		return found.map(({ body }) => JSON.parse(body.toString()) as Record<string, unknown>);
	}

	async start(port = this.#port): Promise<this> {
		const server = createServer((req, res) => void this.#answer(req, res).catch(() => res.destroy()));
		server.on('connection', (socket) => {
			this.#sockets.add(socket);
			socket.on('close', () => this.#sockets.delete(socket));
			socket.on('error', () => {});
		});
		const sockets = new WebSocketServer({ server, path: '/ws', verifyClient: () => !this.script.hasNoSocket });
		sockets.on('connection', (socket, { url, headers }) => {
			this.socketHeaders.push(headers);
			this.#connect(socket, url ?? '');
		});
		server.listen(port, '127.0.0.1');
		await once(server, 'listening');
		this.#port = (server.address() as AddressInfo).port;
		this.#http = server;
		void this.#work(this.#life);
		return this;
	}

	/** Ends as a killed process does: connections break, queue and history are gone. */
	async kill(): Promise<void> {
		this.#life += 1;
		this.#executor.interrupt();
		const server = this.#http;
		this.#http = undefined;
		this.#queue = [];
		this.#running = undefined;
		this.#history.clear();
		this.#executor = this.#createExecutor();
		this.#wakeUp.resolve();
		for (const { socket } of this.#clients.values()) socket.terminate();
		this.#clients.clear();
		for (const socket of this.#sockets) socket.destroy();
		if (server) await new Promise((resolve) => server.close(resolve));
	}

	async restart(): Promise<void> {
		await this.kill();
		await this.start();
	}

	/** Breaks all web sockets; requests go on. */
	dropSockets(): void {
		for (const { socket } of this.#clients.values()) socket.terminate();
	}

	/** Takes a pending prompt out, as the editor's queue does: nobody is told. */
	remove(id: string): void {
		this.#queue = this.#queue.filter(([, one]) => one !== id);
	}

	#createExecutor(): Executor {
		const comfy = this;
		const executor = new Executor({
			get script() {
				return comfy.script;
			},
			send: (client, type, data) => comfy.#send(client, JSON.stringify({ type, data })),
			sendBytes: (client, frame) => comfy.#send(client, frame),
			supportsMetadata: (client) => comfy.#clients.get(client ?? '')?.hasMetadata ?? false,
			save: (prompt, output) => comfy.#save(prompt, output),
		});
		return executor;
	}

	#connect(socket: WebSocket, url: string): void {
		const id = new URL(url, 'http://comfy').searchParams.get('clientId') ?? '';
		const client = { socket, hasMetadata: false };
		this.#clients.set(id, client);
		socket.on('error', () => {});
		// As in the original, the end of an old socket forgets the new one of the same id.
		socket.on('close', () => this.#clients.delete(id));
		socket.once('message', (data) => {
			const { type, data: flags } = JSON.parse(`${data}`) as { type: string; data: Record<string, unknown> };
			if (type === 'feature_flags') client.hasMetadata = flags.supports_preview_metadata === true;
		});
		this.#send(id, JSON.stringify({ type: 'status', data: { status: this.#queueInfo(), sid: id } }));
	}

	#send(client: string | undefined, message: string | Buffer): void {
		this.#clients.get(client ?? '')?.socket.send(message);
	}

	#queueInfo() {
		return { exec_info: { queue_remaining: this.busy.length } };
	}

	#updateQueue(): void {
		for (const id of this.#clients.keys()) {
			this.#send(id, JSON.stringify({ type: 'status', data: { status: this.#queueInfo() } }));
		}
		this.#wakeUp.resolve();
	}

	/** The worker of `main.py`. */
	async #work(life: number): Promise<void> {
		while (life === this.#life) {
			const item = this.#queue.shift();
			if (!item) {
				this.#wakeUp = Promise.withResolvers<void>();
				await this.#wakeUp.promise;
				continue;
			}
			this.#running = item;
			this.#updateQueue();
			const executor = this.#executor;
			const [, id, , extra] = item;
			this.begun.set(id, (this.begun.get(id) ?? 0) + 1);
			const result = await executor.execute(item);
			if (life !== this.#life) return;
			this.#running = undefined;
			this.#history.set(id, { ...result, prompt: item });
			this.#updateQueue();
			this.#send(extra.client_id, JSON.stringify({ type: 'executing', data: { node: null, prompt_id: id } }));
		}
	}

	#save(prompt: Prompt, output: string): object {
		const { extension, bytes } = makeFile(prompt, output);
		const filename = `plinth_${`${this.files.size + 1}`.padStart(5, '0')}_.${extension}`;
		this.files.set(`output//${filename}`, bytes);
		const images = [{ filename, subfolder: '', type: 'output' }];
		return extension === 'mp4' ? { images, animated: [true] } : { images };
	}

	async #answer(req: IncomingMessage, res: ServerResponse): Promise<void> {
		const chunks: Buffer[] = [];
		for await (const chunk of req as AsyncIterable<Buffer>) chunks.push(chunk);
		const { method = '', url: path = '', headers } = req;
		const asked = { method, path, headers, body: Buffer.concat(chunks) };
		this.asked.push(asked);
		if (await this.intercept?.(asked, res)) return;
		// The rule of `create_origin_only_middleware`.
		if (headers.origin !== undefined && new URL(headers.origin).host !== headers.host) return json(res, {}, 403);
		for (const [pattern, route] of this.#routes) {
			const match = pattern.exec(`${method} ${path}`);
			if (match) return await route(asked, match, res);
		}
		res.writeHead(404).end('404: Not Found');
	}

	readonly #routes: readonly (readonly [RegExp, Route])[] = [
		[/^GET (?:\/api)?\/prompt$/, (_asked, _match, res) => json(res, this.#queueInfo())],
		[/^POST (?:\/api)?\/prompt$/, ({ body }, _match, res) => this.#prompt(JSON.parse(body.toString()), res)],
		[
			/^GET \/queue$/,
			(_asked, _match, res) =>
				json(res, { queue_running: this.#running ? [this.#running] : [], queue_pending: this.#queue }),
		],
		[/^GET \/history\/(.+)$/, (_asked, [, id = ''], res) => json(res, pick(this.#history, id))],
		[/^GET \/object_info\/(.+)$/, (_asked, [, name = ''], res) => json(res, infoOf(decodeURIComponent(name)))],
		[/^POST \/queue$/, ({ body }, _match, res) => this.#delete(JSON.parse(body.toString()).delete, res)],
		[/^POST \/interrupt$/, ({ body }, _match, res) => this.#interrupt(JSON.parse(body.toString()).prompt_id, res)],
		[/^POST \/api\/jobs\/(.+)\/cancel$/, (_asked, [, id = ''], res) => this.#cancel(id, res)],
		[
			/^POST \/free$/,
			(_asked, _match, res) => {
				this.freed += 1;
				res.end();
			},
		],
		[/^POST \/upload\/image$/, (asked, _match, res) => this.#upload(asked, res)],
		[/^GET \/view\?(.+)$/, (asked, [, query = ''], res) => this.#view(asked, new URLSearchParams(query), res)],
	];

	#prompt(
		body: { prompt: Prompt; prompt_id?: string; client_id?: string; extra_data?: Extra },
		res: ServerResponse,
	): void {
		const { prompt, prompt_id: id = crypto.randomUUID(), client_id: client, extra_data: extra = {} } = body;
		const isCanonical = /^[\da-f]{8}-[\da-f]{4}-[\da-f]{4}-[\da-f]{4}-[\da-f]{12}$/.test(id);
		const { error, outputs, nodeErrors } = isCanonical
			? validatePrompt(prompt, classes)
			: {
					error: { type: 'invalid_prompt_id', message: 'prompt_id must be a valid UUID' },
					outputs: [],
					nodeErrors: {},
				};
		if (error) {
			json(res, { error, node_errors: nodeErrors }, 400);
			return;
		}
		const number = this.#number++;
		this.#queue.push([number, id, prompt, { ...extra, ...(client && { client_id: client }) }, outputs]);
		this.#updateQueue();
		json(res, { prompt_id: id, number, node_errors: nodeErrors });
	}

	#delete(ids: readonly string[] = [], res: ServerResponse): void {
		this.#queue = this.#queue.filter(([, id]) => !ids.includes(id));
		this.#updateQueue();
		res.end();
	}

	#interrupt(id: string | undefined, res: ServerResponse): void {
		// Older versions do not read the body.
		if (this.script.isOld || id === undefined || id === this.running) this.#executor.interrupt();
		res.end();
	}

	#cancel(id: string, res: ServerResponse): void {
		if (this.script.isOld) return void res.writeHead(404).end('404: Not Found');
		const isBusy = this.busy.includes(id);
		if (id === this.running) this.#executor.interrupt();
		else this.remove(id);
		json(res, { cancelled: isBusy });
	}

	async #upload({ headers, body }: Asked, res: ServerResponse): Promise<void> {
		const type = `${headers['content-type']}`;
		const form = await new Response(Uint8Array.from(body), { headers: { 'content-type': type } }).formData();
		const [file, subfolder] = [form.get('image') as File, `${form.get('subfolder') ?? ''}`];
		this.files.set(`${form.get('type')}/${subfolder}/${file.name}`, Buffer.from(await file.arrayBuffer()));
		json(res, { name: file.name, subfolder, type: form.get('type') });
	}

	#view({ headers }: Asked, query: URLSearchParams, res: ServerResponse): void {
		const [name, subfolder, type] = ['filename', 'subfolder', 'type'].map((key) => query.get(key) ?? '');
		const bytes = this.files.get(`${type || 'output'}/${subfolder}/${name}`);
		if (!bytes) return void res.writeHead(404).end();
		const from = Number(/^bytes=(\d+)-\d*$/.exec(headers.range ?? '')?.[1] ?? 0);
		const range = { 'content-range': `bytes ${from}-${bytes.length - 1}/${bytes.length}` };
		res.writeHead(from > 0 ? 206 : 200, { 'content-length': bytes.length - from, ...(from > 0 && range) });
		res.end(bytes.subarray(from));
	}
}

function pick(history: ReadonlyMap<string, object>, id: string): object {
	const entry = history.get(id);
	return entry ? { [id]: entry } : {};
}

function infoOf(name: string): object {
	const known = classes[name];
	if (!known) return {};
	const { required, optional = {}, isOutput = false } = known;
	return { [name]: { input: { required, optional }, output_node: isOutput, name } };
}

function json(res: ServerResponse, value: unknown, status = 200): void {
	res.writeHead(status, { 'content-type': 'application/json; charset=utf-8' });
	res.end(JSON.stringify(value));
}
