import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { webhooks } from '@plinth/plugin-webhooks';
import { eventually } from '@plinth/testing';
import { Egress } from '@plinth/toolkit';
import { afterAll, beforeAll, beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { isPublicAddress } from '../../core/toolkit/src/egress/addresses.ts';
import { webhooksThrough } from '../../plugins/webhooks/src/plugin.ts';
import { allVideos, failure, type RawClient, rawClient } from '../support/client.ts';
import { fakeVideo } from '../support/fake-models.ts';
import { ownHosts, privateHosts } from '../support/private-hosts.ts';
import { keyA, removeDir, type ServeOptions, serveEmbedded, temporaryDir } from '../support/serve.ts';

/** The one loopback address that counts as public. */
const home = '127.0.0.2';
/** A generous time limit, for a busy machine. */
const timeoutMs = 20_000;
const models = { 'instant-1': fakeVideo() };

/** Listens on all addresses of the machine. Connections to any address but `home` must not happen. */
let canary: Server;
let port: number;
/** The addresses that received connections. */
let hits: string[] = [];
/** The requests that `home` received. */
let welcome: string[] = [];

beforeAll(async () => {
	canary = createServer(({ url = '' }, response) => {
		welcome.push(url);
		const [, status, to] = /^\/to\/(\d+)\/(.*)$/.exec(url) ?? [];
		const code = Number(status ?? (url.startsWith('/fails') ? 500 : 200));
		const location = to === undefined ? {} : { location: decodeURIComponent(to) };
		response.writeHead(code, { connection: 'close', ...location }).end();
	});
	canary.on('connection', ({ localAddress = '' }) => {
		if (plain(localAddress) !== home) hits.push(plain(localAddress));
	});
	// Without a host it listens on all addresses of IPv6 and IPv4, or of IPv4 where IPv6 is unavailable.
	await new Promise<void>((resolve) => canary.listen(0, resolve));
	port = (canary.address() as AddressInfo).port;
});

beforeEach(() => {
	hits = [];
	welcome = [];
});

afterAll(async () => {
	canary.closeAllConnections();
	await new Promise((resolve) => canary.close(resolve));
});

function plain(address: string): string {
	return address.replace(/^::ffff:/, '');
}

async function serve(options: ServeOptions): Promise<RawClient> {
	const served = await serveEmbedded({ models, ...options });
	onTestFinished(() => served.stop());
	return rawClient(served.url, keyA);
}

const subscription = { name: 'x', event_types: ['video.completed'] };
const addEndpoint = (client: RawClient, url: string) => client.post('/v1/webhook_endpoints', { ...subscription, url });

/** The members of a delivery that this file reads. */
interface WireDelivery {
	readonly url: string;
	readonly status: string;
	readonly attempts: readonly { readonly status_code: number | null; readonly failure: string }[];
}

/** The deliveries of a tenant, once there are this many and each has ended. */
async function ended(client: RawClient, count: number): Promise<readonly WireDelivery[]> {
	let found: readonly WireDelivery[] = [];
	const areEnded = async () => {
		// `eventually` polls without a pause, which would slow the sender down.
		await delay(20);
		const path = '/v1/webhook_deliveries?limit=100';
		found = (await client.json<{ data: readonly WireDelivery[] }>(path)).data;
		return found.length === count && found.every(({ status }) => status !== 'pending');
	};
	await eventually(`${count} deliveries have ended`, areEnded, timeoutMs);
	return found;
}

test('the server listens on every address', async () => {
	for (const host of ['127.0.0.1', '0.0.0.0', ...ownHosts]) {
		await fetch(`http://${host}:${port}/`);
		expect(hits, host).toHaveLength(1);
		hits = [];
	}
	await fetch(`http://${home}:${port}/`);
	expect(hits).toEqual([]);
	expect(welcome.length).toBeGreaterThan(0);
});

describe('addresses that are not of the public internet', () => {
	/** Refused because of the address itself, whether or not it is reachable. */
	const odd = [
		`https://user:secret@127.0.0.1/`,
		'http://8.8.8.8/',
		`ftp://127.0.0.1/`,
		'file:///etc/passwd',
		'//127.0.0.1/',
		'https:///127.0.0.1/',
		'https:\\\\127.0.0.1\\',
		'https://',
		'https://[',
		'',
	];

	async function refusals(url: string, ask: (url: string) => Promise<Response>) {
		const answer = await ask(url);
		const { param, code } = await failure(answer);
		return `${url} ${answer.status} ${param} ${code}`;
	}

	test('are refused for a new endpoint, for an existing one, and for a callback', async () => {
		const client = await serve({});
		const created = await addEndpoint(client, 'https://8.8.8.8/');
		const endpoint = (await created.json()) as { readonly id: string; readonly url: string };
		const path = `/v1/webhook_endpoints/${endpoint.id}`;
		const urls = privateHosts.map((host) => `https://${host}:${port}/`);
		const ways = {
			url: [(url: string) => addEndpoint(client, url), (url: string) => client.post(path, { url })],
			callback_url: [
				(callback_url: string) => client.post('/v1/videos', { model: 'instant-1', prompt: 'x', callback_url }),
			],
		};
		for (const [param, asks] of Object.entries(ways)) {
			for (const ask of asks) {
				const all = [...urls, ...odd].filter((url) => url !== '' || param === 'callback_url');
				const found = await Promise.all(all.map((url) => refusals(url, ask)));
				expect(found).toEqual(all.map((url) => `${url} 400 ${param} invalid_value`));
			}
		}
		expect(await client.json('/v1/webhook_endpoints')).toMatchObject({
			data: [{ id: endpoint.id, url: endpoint.url }],
		});
		expect(await allVideos(client)).toEqual([]);
		expect(hits).toEqual([]);
	});

	test('receive nothing once the server may no longer send there', async () => {
		const dataDir = await temporaryDir('targets');
		onTestFinished(() => removeDir(dataDir));
		const before = await serveEmbedded({
			...{ dataDir, models },
			plugins: { webhooks: webhooks({ allowPrivate: true }) },
		});
		const generous = rawClient(before.url, keyA);
		const answers = await Promise.all(privateHosts.map((host) => addEndpoint(generous, `https://${host}:${port}/`)));
		// Some systems cannot resolve `localhost.`.
		const count = answers.filter(({ status }) => status === 200).length;
		expect(count).toBeGreaterThanOrEqual(privateHosts.length - 1);
		await before.stop();

		const client = await serve({ dataDir, plugins: { webhooks: webhooks({ retrySeconds: '0' }) } });
		await client.create({ model: 'instant-1', prompt: 'x' });
		for (const { url, status, attempts } of await ended(client, count)) {
			const failures = attempts.map(({ failure: text }) => /has no address in the public internet$/.test(text));
			expect([url, status, failures]).toEqual([url, 'failed', [true, true]]);
		}
		expect(hits).toEqual([]);
	});
});

describe('names', () => {
	const v4 = (address: string) => ({ address, family: 4 });
	const v6 = (address: string) => ({ address, family: 6 });
	const good = [v4(home)];
	/**
	 * The addresses of each name: for the first lookup, and for the following ones, which repeat. The first lookup
	 * happens when the URL is saved.
	 */
	const answers: Readonly<Record<string, readonly (typeof good)[]>> = {
		turned: [good, [v4('127.0.0.1')]],
		'turned-to-six': [good, [v6('::1')]],
		'turned-to-mapped': [good, [v6('::ffff:127.0.0.1')]],
		'turned-to-zero': [good, [v4('0.0.0.0')]],
		'turned-to-nothing': [good, []],
		mixed: [good, [v4(home), v4('127.0.0.1')]],
		'mixed-turned-round': [good, [v6('::1'), v4(home)]],
		alternating: [good, [v4('127.0.0.1')], good, [v6('::1')], good],
	};
	const names = Object.keys(answers);
	const asked = new Map<string, number>();
	const resolve = async (hostname: string) => {
		const [name = ''] = hostname.split('.');
		const count = asked.get(hostname) ?? 0;
		asked.set(hostname, count + 1);
		const [first = [], ...later] = answers[name] ?? [];
		return count === 0 ? first : (later[(count - 1) % later.length] ?? first);
	};
	const isAllowed = (address: string) => address === home || isPublicAddress(address);
	const egress = () => new Egress({ allowHttp: true, isAllowed, resolve });
	const plugin = () => webhooksThrough(egress)({ retrySeconds: '0.01,0.01,0.01' });

	beforeEach(() => asked.clear());

	async function sendTo(targets: readonly string[]) {
		const client = await serve({ plugins: { webhooks: plugin() } });
		for (const url of targets) expect([url, (await addEndpoint(client, url)).status]).toEqual([url, 200]);
		return client;
	}

	test('that resolve to a private address at delivery are not connected to', async () => {
		const client = await sendTo([]);
		const at = (kind: string) => names.map((name) => `http://${name}.${kind}.example:${port}/fails`);
		for (const callback_url of at('callback')) {
			await client.create({ model: 'instant-1', prompt: 'x', callback_url });
		}
		await ended(client, names.length);
		for (const url of at('endpoint')) expect((await addEndpoint(client, url)).status).toBe(200);
		await client.create({ model: 'instant-1', prompt: 'x' });
		const deliveries = await ended(client, 2 * names.length);
		for (const { url, status, attempts } of deliveries) {
			const codes = attempts.map(({ status_code }) => status_code);
			// Only the name that sometimes resolves to `home` was delivered.
			const expected = url.includes('//alternating.') ? [null, 500, null, 500] : Array(4).fill(null);
			expect([url, status, codes]).toEqual([url, 'failed', expected]);
		}
		expect(deliveries.map(({ url }) => url).sort()).toEqual([...at('callback'), ...at('endpoint')].sort());
		expect(hits).toEqual([]);
		expect(welcome).toHaveLength(4);
	});

	test('that resolve to a private address get no test delivery', async () => {
		const client = await sendTo(names.slice(0, 7).map((name) => `http://${name}.example:${port}/`));
		const { data } = await client.json<{ data: { id: string }[] }>('/v1/webhook_endpoints');
		for (const { id } of data) {
			const answer = await client.post(`/v1/webhook_endpoints/${id}/test`, {
				event_type: 'video.completed',
			});
			expect([answer.status, (await failure(answer)).code]).toEqual([400, 'webhook_unreachable']);
		}
		expect([hits, welcome]).toEqual([[], []]);
	});

	test('with a private address among public ones are refused at once', async () => {
		const client = await sendTo([]);
		asked.set('mixed.example', 1);
		const answer = await addEndpoint(client, `http://mixed.example:${port}/`);
		expect([answer.status, (await failure(answer)).param]).toEqual([400, 'url']);
		expect(hits).toEqual([]);
	});

	test('whose receiver redirects are not followed', async () => {
		const targets = ['127.0.0.1', '[::1]', 'turned.example'];
		const via = [301, 302, 303, 307, 308].flatMap((status) =>
			targets.map((to) => `/to/${status}/${encodeURIComponent(`http://${to}:${port}/`)}`),
		);
		const client = await sendTo(via.map((path) => `http://${home}:${port}${path}`));
		await client.create({ model: 'instant-1', prompt: 'x' });
		const deliveries = await ended(client, via.length);
		expect(deliveries.map(({ status }) => status)).toEqual(via.map(() => 'failed'));
		expect(welcome).toHaveLength(via.length * 4);
		expect(hits).toEqual([]);
	});
});
