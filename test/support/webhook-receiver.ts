import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import OpenAI from 'openai';

/**
 * How a receiver responds to a request: with 200 at once or after a delay, with 500, with a redirect, not at all, or by
 * closing the connection.
 */
export type Behaviour = 'ok' | 'slow' | 'fail' | 'redirect' | 'hang' | 'cut';

/** The body of a webhook. */
export interface WireEvent {
	readonly id: string;
	readonly object: string;
	readonly created_at: number;
	readonly type: string;
	readonly data: { readonly id: string };
}

/** One received request. */
export interface Arrival {
	/** With its query. */
	readonly path: string;
	readonly headers: IncomingHttpHeaders;
	readonly body: string;
	readonly event: WireEvent;
	readonly behaviour: Behaviour;
	/** Whether a success response was sent completely. */
	isAccepted: boolean;
}

/** A receiver of webhooks on the loopback interface. It checks the requests. */
export interface WebhookReceiver {
	/** Without a path. */
	readonly url: string;
	readonly arrivals: readonly Arrival[];
	/**
	 * The secret of each path; null where requests must be unsigned. Requests to other paths are recorded and not
	 * checked.
	 */
	readonly secrets: Map<string, string | null>;
	/** Wrong signatures, times and ids, one sentence each. */
	readonly faults: readonly string[];
	/** Chooses the behaviour for the next request; `ok` by default. */
	behaviour: () => Behaviour;
	/** Accepts all requests from now on, including those that it holds. */
	acceptAll(): void;
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
			return; // The sender was killed while it was sending.
		}
		const arrival: Arrival = {
			...{ path, headers, body, event: JSON.parse(body) as WireEvent },
			...{ behaviour: receiver.behaviour(), isAccepted: false },
		};
		arrivals.push(arrival);
		const secret = secrets.get(path);
		if (secret !== undefined) faults.push(...(await faultsOf(arrival, secret)));
		await respond(arrival, response, held);
	});
	await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));

	const receiver: WebhookReceiver = {
		url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
		arrivals,
		secrets,
		faults,
		behaviour: () => 'ok',
		acceptAll() {
			receiver.behaviour = () => 'ok';
			for (const accept of held) accept();
		},
		async close() {
			server.closeAllConnections();
			await new Promise((resolve) => server.close(resolve));
		},
	};
	return receiver;
}

/** Verifies with the official SDK, which also checks that the timestamp is within five minutes. */
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

async function respond(arrival: Arrival, response: ServerResponse, held: Set<() => void>) {
	const send = (status: number, headers = {}) => response.writeHead(status, headers).end();
	const accept = () => {
		response.once('finish', () => {
			arrival.isAccepted = true;
		});
		send(200);
	};
	switch (arrival.behaviour) {
		case 'ok':
			return accept();
		case 'slow':
			await delay(slowMs);
			return accept();
		case 'fail':
			return send(500);
		case 'redirect':
			return send(302, { location: '/redirected' });
		case 'cut':
			return response.destroy();
		case 'hang':
			held.add(accept);
			response.once('close', () => held.delete(accept));
	}
}
