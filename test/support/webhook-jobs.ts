import { setTimeout as delay } from 'node:timers/promises';
import type { WireVideo } from './client.ts';
import type { Seeded } from './seeded.ts';
import { keyOf, type WebhookServer } from './webhook-fleet.ts';
import type { WebhookReceiver } from './webhook-receiver.ts';

/** A job whose create request was sent. */
export interface RequestedJob {
	readonly tenant: string;
	/** Unique among all jobs. */
	readonly prompt: string;
	/** The path of its callback at the receiver, if it has one. Endpoints of its tenant get its events, too. */
	readonly callback: string | undefined;
	/** Set once a 201 has arrived. */
	id?: string;
	/** Whether a delete request was sent. It may not have reached a server. */
	isRemoved: boolean;
}

/** Shared by all clients that create jobs. */
export interface CreateContext {
	readonly tenants: readonly string[];
	readonly random: Seeded;
	readonly receiver: WebhookReceiver;
	/** The running servers. */
	readonly servers: () => readonly WebhookServer[];
	readonly isOver: () => boolean;
	readonly jobs: RequestedJob[];
	/** Unexpected responses, one sentence each. */
	readonly faults: string[];
}

/** Longer than the time limit of a job in these tests, so that the job fails. */
const endlessMs = 60_000;

/** Creates jobs, and deletes some of them, until `isOver`. */
export async function createJobs(context: CreateContext): Promise<void> {
	const { random, servers, isOver } = context;
	while (!isOver()) {
		const running = servers();
		if (running.length > 0) {
			await createOne(context, random.pick(running)).catch(ignoreBrokenConnection);
		}
		await delay(random.integer(10, 60));
	}
}

async function createOne(context: CreateContext, server: WebhookServer): Promise<void> {
	const { random, tenants, jobs, faults } = context;
	const tenant = random.pick(tenants);
	const ms = jobs.length % 25 === 24 ? endlessMs : random.integer(1, 60);
	const prompt = `job ${jobs.length} ms=${ms} kb=1`;
	const { callback, fields } = callbackFor(context, tenant);
	const job: RequestedJob = { tenant, prompt, callback, isRemoved: false };
	jobs.push(job);
	const body = { model: 'quick', prompt, seconds: '2', size: '640x480', ...fields };
	// Without `rawClient`, which would fetch the OpenAPI document of every restarted server.
	const headers = { 'x-api-key': keyOf(tenant), 'content-type': 'application/json' };
	const videos = `${server.url}/v1/videos`;
	const response = await fetch(videos, { method: 'POST', headers, body: JSON.stringify(body) });
	const text = await response.text();
	if (response.status !== 201) {
		faults.push(`POST: ${response.status} ${text}`);
		return;
	}
	job.id = (JSON.parse(text) as WireVideo).id;
	if (!random.chance(0.08)) return;
	job.isRemoved = true;
	const { status } = await fetch(`${videos}/${job.id}`, { method: 'DELETE', headers });
	if (status !== 200) faults.push(`DELETE: ${status}`);
}

/** Half of the jobs have a callback. Half of the callbacks have a secret. */
function callbackFor({ random, receiver, jobs }: CreateContext, tenant: string) {
	if (random.chance(0.5)) return { callback: undefined, fields: {} };
	const path = `/callbacks/${tenant}/${jobs.length}`;
	const secret = random.chance(0.5) ? secretOf(jobs.length) : null;
	receiver.secrets.set(path, secret);
	const fields = { callback_url: receiver.url + path };
	return { callback: path, fields: secret ? { ...fields, callback_secret: secret } : fields };
}

function secretOf(index: number): string {
	return `whsec_${Buffer.from(`${index}`.padStart(30, 'secret')).toString('base64')}`;
}

/** `fetch` throws a TypeError when its server is killed. Any other error is a mistake in the test. */
function ignoreBrokenConnection(error: unknown): void {
	if (!(error instanceof TypeError)) throw error;
}
