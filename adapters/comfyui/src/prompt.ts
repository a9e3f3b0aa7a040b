import { FormData } from 'undici';
import { z } from 'zod';
import { isOutage } from './failure.ts';
import type { Server } from './server.ts';
import type { Graph } from './workflow.ts';

const messageSchema = z.tuple([z.string(), z.record(z.string(), z.unknown())]);
const entrySchema = z.object({
	outputs: z.record(z.string(), z.record(z.string(), z.unknown())).default({}),
	status: z.object({ status_str: z.string(), messages: z.array(messageSchema).catch([]) }).nullish(),
});
const historySchema = z.record(z.string(), entrySchema);
const items = z.array(z.array(z.unknown()));
const queueSchema = z.object({ queue_running: items, queue_pending: items });
const uploadSchema = z.object({ name: z.string(), subfolder: z.string() });

/** What the history keeps of a prompt that has ended. */
export type HistoryEntry = z.output<typeof entrySchema>;

/** Where a prompt is; undefined: neither in the queue nor in the history. */
export type PromptState = 'pending' | 'running' | HistoryEntry | undefined;

/** A picture to upload. */
export interface Picture {
	/** `image/png`, `image/jpeg` or `image/webp`. */
	readonly mediaType: string;
	bytes(): Promise<Uint8Array>;
}

/** Milliseconds between two attempts to stop a prompt, and the most attempts. */
const stopMs = 250;
const mostStops = 40;

/** A prompt at a server, which may not have it yet. */
export class Prompt {
	readonly server: Server;
	/** A canonical lower-case UUID. */
	readonly id: string;
	/** The client id to which the server sends its events. */
	readonly client: string;

	constructor(server: Server, id: string, client: string) {
		this.server = server;
		this.id = id;
		this.client = client;
	}

	/** What a checkpoint keeps. */
	get token(): string {
		return `${this.id} ${this.client} ${this.server.url}`;
	}

	/** Looks for the prompt in the history and in the queue. */
	async look(signal?: AbortSignal): Promise<PromptState> {
		const ended = async () => (await this.server.json(historySchema, `/history/${this.id}`, { signal }))[this.id];
		const entry = await ended();
		if (entry) return entry;
		const { queue_running, queue_pending } = await this.server.json(queueSchema, '/queue', { signal });
		if (queue_running.some(([, id]) => id === this.id)) return 'running';
		if (queue_pending.some(([, id]) => id === this.id)) return 'pending';
		// It may have ended between the two requests.
		return ended();
	}

	/** Uploads a picture into the folder `plinth`. Resolves to the name for a node that loads pictures. */
	async upload(what: string, picture: Picture, signal: AbortSignal): Promise<string> {
		const type = picture.mediaType;
		const bytes = Uint8Array.from(await picture.bytes());
		const form = new FormData();
		form.set('image', new File([bytes], `${this.id}-${what}.${type.slice('image/'.length)}`, { type }));
		form.set('subfolder', 'plinth');
		form.set('type', 'input');
		form.set('overwrite', 'true');
		const { name, subfolder } = await this.server.json(uploadSchema, '/upload/image', { form, signal });
		return subfolder ? `${subfolder}/${name}` : name;
	}

	/** Queues the prompt and resolves to the response, which may be a refusal. Not aborted: it might have arrived. */
	send(graph: Graph, events: { readonly isHeard: boolean; readonly hasPreviews: boolean }): Promise<unknown> {
		const { server, id, client } = this;
		const json = {
			prompt: graph,
			prompt_id: id,
			// Who needs no events names a client that nobody is.
			client_id: events.isHeard ? client : id,
			extra_data: { preview_method: events.hasPreviews ? 'auto' : 'none' },
		};
		const sending = server.json(z.unknown(), '/prompt', { json }, [200, 400]);
		server.sending.set(id, sending);
		return sending.finally(() => server.sending.delete(id));
	}

	/** Takes the prompt out of the queue. */
	dequeue(): Promise<unknown> {
		return this.server.post('/queue', { delete: [this.id] });
	}

	/**
	 * Stops the prompt, and looks whether it has stopped: ComfyUI forgets an interruption that comes while a prompt
	 * begins. A request that still queues it is awaited first.
	 */
	async stop(): Promise<void> {
		const { server, id } = this;
		await server.sending.get(id)?.catch(() => {});
		for (let tries = 0; tries < mostStops; tries++) {
			try {
				// Older versions have no route that looks and stops at once, and interrupt whatever runs.
				const isOld = (await server.post(`/api/jobs/${id}/cancel`, {}, [200, 404, 405])) !== 200;
				const state = isOld ? await this.look() : undefined;
				if (state === 'pending') await this.dequeue();
				if (state === 'running') await server.post('/interrupt', { prompt_id: id });
				if (typeof (await this.look()) !== 'string') return;
			} catch (error) {
				if (!isOutage(error)) throw error;
			}
			await new Promise<void>((resolve) => void server.clock.after(stopMs, resolve));
		}
		throw new Error(`${server.url} does not stop a prompt`);
	}
}
