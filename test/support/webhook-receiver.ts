import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import OpenAI from 'openai';

/** How a receiver takes a request: well at once or after a while, badly, by sending it elsewhere, not at all, or by hanging up. */
export type Mood = 'ok' | 'slow' | 'fail' | 'redirect' | 'hang' | 'cut';

/** The body of a webhook. */
export interface WireEvent {
	readonly id: string;
	readonly object: string;
	readonly created_at: number;
	readonly type: string;
	readonly data: { readonly id: string };
}

/** One request as it arrived. */
export interface Arrival {
	/** With its query. */
	readonly path: string;
	readonly headers: IncomingHttpHeaders;
	readonly body: string;
	readonly event: WireEvent;
	readonly mood: Mood;
	/** Whether it has got an answer that counts as a success. */
	isTaken: boolean;
}

/** A receiver of webhooks on the loopback interface, which checks what comes. */
export interface WebhookReceiver {
	/** Without a path. */
	readonly url: string;
	readonly arrivals: readonly Arrival[];
	/** The secret of each path; null where requests are not signed. What comes to another path is only kept. */
	readonly secrets: Map<string, string | null>;
	/** What was wrong with signatures, times and ids, one sentence each. */
	readonly faults: readonly string[];
	/** What it does with the next request; well unless set. */
	mood: () => Mood;
	/** Takes everything well from now on, what is held up included. */
	calm(): void;
	close(): Promise<void>;
}

const { webhooks } = new OpenAI({ apiKey: 'unused' });
const slowMs = 400;

/** Starts a receiver on a free port. */
export async function startWebhookReceiver(): Promise<WebhookReceiver> {
	const arrivals: Arrival[] = [];
	const faults: string[] = [];
	const secrets: WebhookReceiver['secrets'] = new Map();
	const held = new Set<() => void>();

	const server = createServer(async (request, response) => {
		const { url: path = '', headers } = request;
		let body = '';
		try {
			for await (const chunk of request.setEncoding('utf8')) body += chunk;
		} catch {
			return; // Its sender was killed in the middle of it.
		}
		const arrival: Arrival = {
			...{ path, headers, body, event: JSON.parse(body) as WireEvent },
			...{ mood: receiver.mood(), isTaken: false },
		};
		arrivals.push(arrival);
		const secret = secrets.get(path);
		if (secret !== undefined) faults.push(...(await faultsOf(arrival, secret)));
		await answer(arrival, response, held);
	});
	await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));

	const receiver: WebhookReceiver = {
		url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
		arrivals,
		secrets,
		faults,
		mood: () => 'ok',
		calm() {
			receiver.mood = () => 'ok';
			for (const letGo of held) letGo();
		},
		async close() {
			server.closeAllConnections();
			await new Promise((resolve) => server.close(resolve));
		},
	};
	return receiver;
}

/** By the official SDK, which also wants a time within five minutes. */
async function faultsOf({ headers, body, event, path }: Arrival, secret: string | null): Promise<readonly string[]> {
	const faults = [];
	if (headers['webhook-id'] !== event.id) faults.push(`${path}: two ids for ${event.id}`);
	if (secret === null) {
		const isLate = Math.abs(Date.now() / 1_000 - Number(headers['webhook-timestamp'])) > 300;
		if (isLate) faults.push(`${path}: ${event.id} at ${headers['webhook-timestamp']}`);
		if ('webhook-signature' in headers) faults.push(`${path}: ${event.id} is signed`);
		return faults;
	}
	try {
		await webhooks.unwrap(body, headers as Record<string, string>, secret);
	} catch (error) {
		faults.push(`${path}: ${event.id}: ${(error as Error).message}`);
	}
	return faults;
}

async function answer(arrival: Arrival, response: ServerResponse, held: Set<() => void>) {
	const end = (status: number, headers = {}) => response.writeHead(status, headers).end();
	const take = () => {
		response.once('finish', () => {
			arrival.isTaken = true;
		});
		end(200);
	};
	switch (arrival.mood) {
		case 'ok':
			return take();
		case 'slow':
			await delay(slowMs);
			return take();
		case 'fail':
			return end(500);
		case 'redirect':
			return end(302, { location: '/redirected' });
		case 'cut':
			return response.destroy();
		case 'hang':
			held.add(take);
			response.once('close', () => held.delete(take));
	}
}
