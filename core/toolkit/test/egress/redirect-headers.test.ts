import { createServer, type IncomingHttpHeaders, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, beforeEach, expect, onTestFinished, test } from 'vitest';
import { Egress } from '../../src/egress/egress.ts';

/** Two servers. Each redirects to the address after `/to/`. */
const servers: Server[] = [];
let seen: { readonly url: string; readonly headers: IncomingHttpHeaders }[] = [];
let port: number;
let otherPort: number;

beforeAll(async () => {
	for (let count = 0; count < 2; count++) {
		const server = createServer(({ url = '', headers }, response) => {
			seen.push({ url, headers });
			const [, to] = /^\/to\/(.*)$/.exec(url) ?? [];
			if (to !== undefined) response.writeHead(307, { location: decodeURIComponent(to) });
			response.end();
		});
		await new Promise<void>((resolve) => server.listen(0, '0.0.0.0', resolve));
		servers.push(server);
	}
	[port = 0, otherPort = 0] = servers.map((server) => (server.address() as AddressInfo).port);
});

beforeEach(() => {
	seen = [];
});

afterAll(() => Promise.all(servers.map((server) => new Promise((resolve) => server.close(resolve)))));

const secrets = {
	authorization: 'Bearer secret',
	cookie: 'session=secret',
	'x-api-key': 'secret',
	'x-signature': 'secret',
	'Proxy-Authorization': 'Basic secret',
};
const names = Object.keys(secrets).map((name) => name.toLowerCase());

/** Returns the headers that arrived at each step of a redirect chain through these addresses. */
async function headersOn(...hosts: string[]): Promise<string[][]> {
	const egress = new Egress({ allowHttp: true, isAllowed: () => true });
	onTestFinished(() => egress.close());
	const url = hosts.reduceRight(
		(target, host) => (target === '' ? `http://${host}/` : `http://${host}/to/${encodeURIComponent(target)}`),
		'',
	);
	const bounds = { timeoutMs: 5_000, maxBytes: 100, redirects: 3 };
	const answer = await egress.send({ ...bounds, method: 'GET', url, headers: secrets });
	expect(answer.status).toBe(200);
	return seen.map(({ headers }) => names.filter((name) => headers[name] !== undefined));
}

test('headers are sent to a redirect to the same host', async () => {
	expect(await headersOn(`127.0.0.2:${port}`, `127.0.0.2:${port}`)).toEqual([names, names]);
});

test('no header is sent to another host', async () => {
	expect(await headersOn(`127.0.0.2:${port}`, `127.0.0.3:${port}`)).toEqual([names, []]);
});

test('no header is sent to another port', async () => {
	expect(await headersOn(`127.0.0.2:${port}`, `127.0.0.2:${otherPort}`)).toEqual([names, []]);
});

test('headers are not sent again when a redirect leads back to the first host', async () => {
	const [first, second] = [`127.0.0.2:${port}`, `127.0.0.3:${port}`];
	expect(await headersOn(first, second, first)).toEqual([names, [], []]);
});
