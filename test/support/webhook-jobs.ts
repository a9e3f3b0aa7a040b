import { setTimeout as delay } from 'node:timers/promises';
import type { WireVideo } from './client.ts';
import type { Seeded } from './seeded.ts';
import { keyOf, type WebhookServer } from './webhook-fleet.ts';
import type { WebhookReceiver } from './webhook-receiver.ts';

/** A job that was asked for. */
export interface AskedJob {
	readonly tenant: string;
	/** No other job has it. */
	readonly prompt: string;
	/** Where its end is told, beside the endpoints of its tenant: a path of the receiver. */
	readonly callback: string | undefined;
	/** Known once a 201 has arrived. */
	id?: string;
	/** Its client has asked to delete it, whether or not that was heard. */
	isRemoved: boolean;
}

/** What creators share. */
export interface Creating {
	readonly tenants: readonly string[];
	readonly random: Seeded;
	readonly receiver: WebhookReceiver;
	/** The servers of the moment. */
	readonly servers: () => readonly WebhookServer[];
	readonly isOver: () => boolean;
	readonly jobs: AskedJob[];
	/** Answers that no client should get, one sentence each. */
	readonly faults: string[];
}

/** Takes longer than a job may in these tests, so that it fails. */
const endlessMs = 60_000;

/** Creates jobs, and deletes some of them, until it is over. */
export async function createJobs(context: Creating): Promise<void> {
	const { random, servers, isOver } = context;
	while (!isOver()) {
		const current = servers();
		if (current.length > 0) {
			await createOne(context, random.pick(current)).catch(ignoreBrokenConnection);
		}
		await delay(random.integer(10, 60));
	}
}

async function createOne(context: Creating, server: WebhookServer): Promise<void> {
	const { random, tenants, jobs, faults } = context;
	const tenant = random.pick(tenants);
	const ms = random.chance(0.04) ? endlessMs : random.integer(1, 60);
	const prompt = `job ${jobs.length} ms=${ms} kb=1`;
	const { callback, fields } = callbackFor(context, tenant);
	const job: AskedJob = { tenant, prompt, callback, isRemoved: false };
	jobs.push(job);
	const body = { model: 'quick', prompt, seconds: '2', size: '640x480', ...fields };
	// Not through a client that compares each answer with the document, which every new server would be asked for.
	const headers = { 'x-api-key': keyOf(tenant), 'content-type': 'application/json' };
	const videos = `${server.url}/v1/videos`;
	const answer = await fetch(videos, { method: 'POST', headers, body: JSON.stringify(body) });
	const text = await answer.text();
	if (answer.status !== 201) {
		faults.push(`POST: ${answer.status} ${text}`);
		return;
	}
	job.id = (JSON.parse(text) as WireVideo).id;
	if (!random.chance(0.08)) return;
	job.isRemoved = true;
	const { status } = await fetch(`${videos}/${job.id}`, { method: 'DELETE', headers });
	if (status !== 200) faults.push(`DELETE: ${status}`);
}

/** Half of the jobs have a callback, and half of these a secret. */
function callbackFor({ random, receiver, jobs }: Creating, tenant: string) {
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

/** What `fetch` throws when its server is killed; everything else is a mistake in a test. */
function ignoreBrokenConnection(error: unknown): void {
	if (!(error instanceof TypeError)) throw error;
}
