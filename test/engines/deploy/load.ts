import { setTimeout as delay } from 'node:timers/promises';
import type { WireVideo } from '../../support/client.ts';
import { solidPng } from '../../support/png.ts';
import { describeBytes } from '../../support/quick-video.ts';
import { key } from './compose-processes.ts';

const pauseMs = 15;
const picture = solidPng(64, 64, [30, 160, 90]);

/** A job that was accepted. */
export interface Asked {
	readonly id: string;
	readonly prompt: string;
	/** Whether a poll has found it completed. */
	isDone: boolean;
}

/** The maximum number of waiting jobs. The rest of the load continues without more of them. */
const crowd = 12;

/** Clients that send requests through nginx, one after another, without retries. */
export class Load {
	readonly created: Asked[] = [];
	readonly faults: string[] = [];
	readonly counts = { creates: 0, polls: 0, downloads: 0, lists: 0 };
	readonly #url: string;
	#isOver = false;
	#sequence = 0;
	readonly #clients: readonly Promise<void>[];

	constructor(url: string) {
		this.#url = url;
		const kinds = [this.create, this.create, this.poll, this.poll, this.poll, this.poll, this.download, this.list];
		this.#clients = kinds.map((ask) => this.#repeat(ask));
	}

	async stop(): Promise<void> {
		this.#isOver = true;
		await Promise.all(this.#clients);
	}

	/** Alternates between forms with an image and JSON. The jobs take up to half a second. */
	readonly create = async (): Promise<void> => {
		if (this.created.filter(({ isDone }) => !isDone).length >= crowd) return;
		const n = this.#sequence++;
		const prompt = `job ${n} ms=${50 + ((n * 37) % 400)} kb=${8 + (n % 5) * 64}`;
		const fields = { model: 'quick', prompt, seconds: '2', size: '640x480' };
		const form = new FormData();
		for (const [name, value] of Object.entries(fields)) form.set(name, value);
		form.set('input_reference', new File([picture], 'start.png'));
		const json = { headers: { 'content-type': 'application/json' }, body: JSON.stringify(fields) };
		const response = await this.#ask(
			'creates',
			'/v1/videos',
			{ method: 'POST', ...(n % 2 ? { body: form } : json) },
			201,
		);
		if (response) {
			const { id } = JSON.parse(response.toString()) as WireVideo;
			this.created.push({ id, prompt, isDone: false });
		}
		await delay(40);
	};

	readonly poll = async (): Promise<void> => {
		const open = this.created.filter(({ isDone }) => !isDone);
		const job = open[this.counts.polls % Math.max(1, open.length)];
		const response = await this.#ask('polls', job ? `/v1/videos/${job.id}` : '/v1/models');
		if (job && response) job.isDone = (JSON.parse(response.toString()) as WireVideo).status === 'completed';
	};

	readonly download = async (): Promise<void> => {
		const done = this.created.findLast(({ isDone }) => isDone);
		if (done) await this.check(done);
		await delay(50);
	};

	readonly list = async (): Promise<void> => {
		await this.#ask('lists', '/v1/videos?limit=5');
		await delay(50);
	};

	/** Downloads a video and checks that it belongs to its prompt. */
	async check({ id, prompt }: Asked): Promise<void> {
		const bytes = await this.#ask('downloads', `/v1/videos/${id}/content`);
		if (bytes && describeBytes(new Uint8Array(bytes)).prompt !== prompt)
			this.faults.push(`${id}: content of another job`);
	}

	async #repeat(ask: () => Promise<void>): Promise<void> {
		while (!this.#isOver) {
			await ask();
			await delay(pauseMs);
		}
	}

	async #ask(
		kind: keyof Load['counts'],
		path: string,
		init: RequestInit = {},
		wanted = 200,
	): Promise<Buffer | undefined> {
		this.counts[kind] += 1;
		const what = `${init.method ?? 'GET'} ${path}`;
		try {
			const headers = { ...(init.headers as object), authorization: `Bearer ${key}` };
			const response = await fetch(`${this.#url}${path}`, { ...init, headers });
			const body = Buffer.from(await response.arrayBuffer());
			if (response.status === wanted) return body;
			this.faults.push(`${what}: ${response.status} ${body.toString().slice(0, 300)}`);
		} catch (error) {
			this.faults.push(`${what}: ${(error as Error).message} ${String((error as Error).cause)}`);
		}
		return undefined;
	}
}
