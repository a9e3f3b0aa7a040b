import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { mkdir, readdir, readFile, stat, symlink, writeFile } from 'node:fs/promises';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { networkInterfaces } from 'node:os';
import { join } from 'node:path';
import { eventually } from '@plinth/testing';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { plinth } from '../../test/support/cli.ts';
import { plinthHere } from '../../test/support/command.ts';
import { removeDir, temporaryDir } from '../../test/support/serve.ts';

const bytes = Buffer.from(Array.from({ length: 300_000 }, (_, index) => (index * 7) % 251));
const sha256 = createHash('sha256').update(bytes).digest('hex');
const half = 150_000;

/** The response of the server to a request. */
type Behaviour = (request: IncomingMessage, response: ServerResponse) => void;

let server: Server;
let port: number;
let cwd: string;
let requests: IncomingMessage[] = [];
let behave: Behaviour;

beforeAll(async () => {
	server = createServer((request, response) => {
		requests.push(request);
		behave(request, response);
	});
	server.listen(0);
	await once(server, 'listening');
	({ port } = server.address() as AddressInfo);
});

beforeEach(async () => {
	cwd = await temporaryDir('pull');
	requests = [];
	behave = whole;
});

afterEach(() => removeDir(cwd));

afterAll(() => {
	server.closeAllConnections();
	server.close();
});

/** Serves the file and its ranges, as version 1. */
const whole: Behaviour = (request, response) => {
	const { range, 'if-range': version = '"1"' } = request.headers;
	const from = Number(/^bytes=(\d+)-$/.exec(range ?? '')?.[1] ?? Number.NaN);
	if (Number.isNaN(from) || version !== '"1"')
		return void response.writeHead(200, { etag: '"1"', 'content-length': bytes.length }).end(bytes);
	if (from >= bytes.length) return void response.writeHead(416).end();
	const rest = bytes.subarray(from);
	const range206 = `bytes ${from}-${bytes.length - 1}/${bytes.length}`;
	response.writeHead(206, { etag: '"1"', 'content-length': rest.length, 'content-range': range206 }).end(rest);
};

/** Serves half of the file, and cuts the connection. */
const cut: Behaviour = (_, response) => {
	response.writeHead(200, { etag: '"1"', 'content-length': bytes.length });
	response.write(bytes.subarray(0, half), () => response.destroy());
};

const address = (host = '127.0.0.1') => `http://${host}:${port}/files/tiny.gguf`;
const pull = (url = address(), ...more: string[]) =>
	plinthHere(['models', 'pull', url, '--sha256', sha256, ...more], { cwd });
const there = (folder = 'models') => readdir(join(cwd, folder)).then((names) => names.sort());

async function expectWhole(): Promise<void> {
	expect(await there()).toEqual(['tiny.gguf']);
	expect((await readFile(join(cwd, 'models/tiny.gguf'))).equals(bytes)).toBe(true);
}

describe('plinth models pull', () => {
	test('downloads a file, prints its size and progress, and prints its path', async () => {
		const { code, stdout, stderr } = await pull();
		expect([code, stdout]).toEqual([0, `${join(cwd, 'models/tiny.gguf')}\n`]);
		expect(stderr).toContain(`tiny.gguf: 293 KB from 127.0.0.1:${port}\n`);
		expect(stderr).toMatch(/tiny\.gguf 100 % 293 KB/);
		await expectWhole();
	});

	test('writes into the folder of --to', async () => {
		expect((await pull(address(), '--to', 'a/b')).code).toBe(0);
		expect(await there('a/b')).toEqual(['tiny.gguf']);
	});

	test('resumes after the connection was cut', async () => {
		behave = cut;
		const first = await pull();
		expect(first.code).toBe(1);
		expect(first.stderr).toMatch(
			/The connection to 127\.0\.0\.1:\d+ has ended: .*\. [\d.]+ KB are kept in .*tiny\.gguf\.part: the same command resumes/,
		);
		const { size } = await stat(join(cwd, 'models/tiny.gguf.part'));
		expect(size).toBeGreaterThan(0);
		behave = whole;
		const second = await pull();
		expect(second.code).toBe(0);
		expect(second.stderr).toContain('of which');
		expect(requests.at(-1)?.headers).toMatchObject({ range: `bytes=${size}-`, 'if-range': '"1"' });
		await expectWhole();
	});

	test('resumes after its process was killed', { timeout: 30_000 }, async () => {
		behave = (_, response) => {
			response.writeHead(200, { etag: '"1"', 'content-length': bytes.length });
			response.write(bytes.subarray(0, half));
		};
		const child = plinth(['models', 'pull', address(), '--sha256', sha256], { cwd });
		const part = join(cwd, 'models/tiny.gguf.part');
		const arrived = async () => (await stat(part).catch(() => undefined))?.size === half;
		await eventually('half of the file is there', arrived, 20_000);
		await child.kill();
		behave = whole;
		expect((await pull()).code).toBe(0);
		expect(requests.at(-1)?.headers.range).toBe(`bytes=${half}-`);
		await expectWhole();
	});

	test('starts again when the file has changed in the meantime', async () => {
		behave = cut;
		await pull();
		await writeFile(join(cwd, 'models/tiny.gguf.part.version'), '"0"');
		behave = whole;
		expect((await pull()).code).toBe(0);
		expect(requests.at(-1)?.headers['if-range']).toBe('"0"');
		await expectWhole();
	});

	test('starts again when the server does not support ranges', async () => {
		behave = cut;
		await pull();
		behave = (_, response) => {
			response.write(bytes.subarray(0, half));
			response.end(bytes.subarray(half));
		};
		const { code, stderr } = await pull();
		expect(code).toBe(0);
		expect(requests.at(-1)?.headers.range).toMatch(/^bytes=\d+-$/);
		expect(stderr).toContain('an unknown number of bytes');
		await expectWhole();
	});

	test('starts again when the partial file is longer than the file', async () => {
		behave = cut;
		await pull();
		await writeFile(join(cwd, 'models/tiny.gguf.part'), Buffer.concat([bytes, bytes]));
		behave = whole;
		expect((await pull()).code).toBe(0);
		await expectWhole();
	});

	test('finishes a complete partial file without another request', async () => {
		behave = cut;
		await pull();
		await writeFile(join(cwd, 'models/tiny.gguf.part'), bytes);
		requests = [];
		expect((await pull()).code).toBe(0);
		expect(requests).toEqual([]);
		await expectWhole();
	});

	test('removes a file with another checksum', async () => {
		behave = (_, response) => void response.end('<html>Please log in</html>');
		const { code, stdout, stderr } = await pull();
		expect([code, stdout]).toEqual([1, '']);
		expect(stderr).toContain(`not ${sha256}. The file was removed. Check the address and --sha256`);
		expect(await there()).toEqual([]);
	});

	test('keeps a file that exists', async () => {
		await pull();
		requests = [];
		const again = await pull();
		expect([again.code, again.stdout]).toEqual([0, `${join(cwd, 'models/tiny.gguf')}\n`]);
		await writeFile(join(cwd, 'models/tiny.gguf'), 'mine');
		const other = await pull();
		expect(other.stderr).toContain('tiny.gguf exists with another checksum. Move it');
		expect(await readFile(join(cwd, 'models/tiny.gguf'), 'utf8')).toBe('mine');
		expect(requests).toEqual([]);
	});

	test.each([
		[404, 'There is no such file: check the address.'],
		[403, 'The file needs a login or a licence: download it with a browser.'],
		[503, 'The server failed: try again later.'],
	])('explains the status %i', async (status, remedy) => {
		behave = (_, response) => void response.writeHead(status).end();
		const { code, stderr } = await pull();
		expect([code, stderr.trim()]).toEqual([1, `127.0.0.1:${port} answered with status ${status}. ${remedy}`]);
		expect(await there()).toEqual([]);
	});

	test('reports that no server listens', async () => {
		const other = createServer().listen(0, '127.0.0.1');
		await once(other, 'listening');
		const { port: closed } = other.address() as AddressInfo;
		other.close();
		await once(other, 'close');
		const { code, stderr } = await pull(`http://127.0.0.1:${closed}/tiny.gguf`);
		expect(code).toBe(1);
		expect(stderr).toBe(`The connection to 127.0.0.1:${closed} has ended: ECONNREFUSED. Try again.\n`);
	});

	test('reports before the download that the disk has too little space', async () => {
		behave = (_, response) => {
			response.writeHead(200, { 'content-length': 9e15 });
			response.write('x');
		};
		const { code, stderr } = await pull();
		expect(code).toBe(1);
		expect(stderr).toMatch(/models has .* free, and the download needs 8185\.5 TB\. Free some, or use --to\./);
		expect(await there()).toEqual([]);
	});

	test('reports a full disk, and leaves no empty file', async () => {
		await mkdir(join(cwd, 'models'));
		await symlink('/dev/full', join(cwd, 'models/tiny.gguf.part'));
		const { code, stderr } = await pull();
		expect(code).toBe(1);
		expect(stderr).toContain(`The disk of ${join(cwd, 'models')} is full. Free some of it. Try again.`);
		expect(await there()).toEqual([]);
	});

	test('follows redirects', async () => {
		behave = (request, response) => {
			if (request.url === '/moved') whole(request, response);
			else response.writeHead(302, { location: '/moved' }).end();
		};
		expect((await pull()).code).toBe(0);
		await expectWhole();
	});

	test('does not follow redirects without limit', async () => {
		behave = (_, response) => void response.writeHead(302, { location: '/files/tiny.gguf' }).end();
		expect((await pull()).stderr).toContain('redirects more than 5 times');
	});

	test('rejects remote servers without encryption, also in redirects, unless they are allowed', async () => {
		const refusal = /^http:\/\/[^ ]+ is not encrypted\. Use https, or allow it with --allow-http\.\n$/;
		expect((await pull('http://models.example/tiny.gguf')).stderr).toMatch(refusal);
		behave = (_, response) => void response.writeHead(302, { location: 'http://models.example/tiny.gguf' }).end();
		expect((await pull()).stderr).toMatch(refusal);
		const here = Object.values(networkInterfaces())
			.flat()
			.find((each) => each?.family === 'IPv4' && !each.internal);
		// A machine without a network has this address of its own, too.
		const host = here?.address ?? '127.0.0.2';
		behave = whole;
		expect((await pull(address(host))).stderr).toMatch(refusal);
		expect((await pull(address(host), '--allow-http')).code).toBe(0);
		await expectWhole();
	});

	test.each([
		[['no url', '--sha256', sha256], 'no url is not a URL. Name the file'],
		[['https://models.example/a.gguf', '--sha256', 'abc'], '--sha256 needs the 64 hexadecimal digits'],
		[['https://models.example/', '--sha256', sha256], 'does not end with the name of a file'],
		[['https://models.example/a%2F..%2Fb', '--sha256', sha256], 'does not end with the name of a file'],
		[['ftp://models.example/a.gguf', '--sha256', sha256], 'is not https'],
	])('rejects %j', async (args, message) => {
		const { code, stderr } = await plinthHere(['models', 'pull', ...args], { cwd });
		expect(code).toBe(1);
		expect(stderr).toContain(message);
	});
});
