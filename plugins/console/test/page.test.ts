import { execFile } from 'node:child_process';
import { hash } from 'node:crypto';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { createServer } from 'node:http';
import { createRequire } from 'node:module';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { gzipSync } from 'node:zlib';
import { errorOf, type TestApp, testApp } from '@plinth/testing';
import { describe, expect, onTestFinished, test } from 'vitest';
import { console as consolePage } from '../src/index.ts';

const execute = promisify(execFile);
const folder = join(import.meta.dirname, '..');

function served(options: Parameters<typeof consolePage>[0] = {}): Promise<TestApp> {
	return testApp({ plugins: { console: consolePage(options) }, onTestFinished });
}

/** The relative addresses in the document. */
async function addressesOf(response: Response): Promise<readonly string[]> {
	return [...(await response.text()).matchAll(/(?:src|href)="([^"]+)"/g)].map(([, address = '']) => address);
}

const directives = (response: Response): Record<string, string> =>
	Object.fromEntries(
		(response.headers.get('content-security-policy') ?? '').split('; ').map((directive) => {
			const [name = '', ...values] = directive.split(' ');
			return [name, values.join(' ')];
		}),
	);

describe('the page', () => {
	test('is served without a key, with a policy that allows nothing unsafe', async () => {
		const { get } = await served();
		const response = await get('/', { key: null });
		expect([response.status, response.headers.get('content-type')]).toEqual([200, 'text/html; charset=utf-8']);
		expect(directives(response)).toEqual({
			'default-src': "'none'",
			'script-src': "'self'",
			'style-src': "'self'",
			'connect-src': "'self'",
			'img-src': "'self' blob:",
			'media-src': "'self' blob:",
			'frame-src': 'blob:',
			'base-uri': "'none'",
			'form-action': "'none'",
			'frame-ancestors': "'none'",
			'require-trusted-types-for': "'script'",
			'trusted-types': "'none'",
		});
		expect(Object.fromEntries(response.headers)).toMatchObject({
			'x-content-type-options': 'nosniff',
			'referrer-policy': 'no-referrer',
			'x-frame-options': 'DENY',
			'cross-origin-opener-policy': 'same-origin',
			'cache-control': 'no-cache',
		});
	});

	test('keeps its policy when a browser asks whether it has changed', async () => {
		const { get } = await served();
		const whole = await get('/', { key: null });
		const again = await get('/', { key: null, headers: { 'if-none-match': whole.headers.get('etag') ?? '' } });
		expect(again.status).toBe(304);
		expect(directives(again)).toEqual(directives(whole));
	});

	test('answers HEAD with the length and no body', async () => {
		const { get, send } = await served();
		const bytes = await (await get('/', { key: null })).arrayBuffer();
		const head = await send('HEAD', '/', { key: null });
		expect([head.status, head.headers.get('content-length')]).toEqual([200, String(bytes.byteLength)]);
		expect(await head.text()).toBe('');
	});

	test('has no inline script or style, and loads only files that are served and never change', async () => {
		const { get } = await served();
		const response = await get('/', { key: null });
		const html = await response.clone().text();
		expect(html).not.toMatch(/<style|\sstyle=|<script>|\son\w+=/);
		const addresses = await addressesOf(response);
		expect(addresses.length).toBe(3);
		for (const address of addresses) {
			expect(address).toMatch(/^\.\/console\/[\w-]+\.(?:js|css|svg)$/);
			const file = await get(address.slice(1), { key: null });
			expect(file.status).toBe(200);
			expect(file.headers.get('cache-control')).toBe('public, max-age=31536000, immutable');
			expect(file.headers.get('etag')).toMatch(/^"[\w-]{43}"$/);
			expect((await file.arrayBuffer()).byteLength).toBeGreaterThan(100);
		}
	});

	test('has no file with another name', async () => {
		const { get } = await served();
		for (const name of ['none.js', '..%2Findex.html', '%2e%2e%2f%2e%2e%2fpackage.json', '__proto__']) {
			const { status, code } = await errorOf(await get(`/console/${name}`, { key: null }));
			expect([name, status, code]).toEqual([name, 404, null]);
		}
	});

	test('is not there when it is off', async () => {
		const { get } = await served({ page: 'off' });
		expect((await errorOf(await get('/', { key: null }))).status).toBe(404);
	});

	test('works below the prefix of a host', async () => {
		const { app } = await served();
		const host = createServer(app.callback({ prefix: '/ai' }));
		await new Promise<void>((resolve) => host.listen(0, '127.0.0.1', resolve));
		onTestFinished(() => new Promise((resolve) => host.close(() => resolve())));
		const page = new URL(`http://127.0.0.1:${(host.address() as AddressInfo).port}/ai/`);
		for (const address of await addressesOf(await fetch(page))) {
			const file = await fetch(new URL(address, page));
			expect([address, file.status]).toEqual([address, 200]);
			await file.arrayBuffer();
		}
	});
});

describe('the built files', () => {
	test('are what Vite makes of the sources: otherwise run npm run build -w @plinth/plugin-console', async () => {
		const made = await mkdtemp(join(tmpdir(), 'plinth-console-'));
		onTestFinished(() => rm(made, { recursive: true }));
		// In a process of its own, because Vite changes `NODE_ENV`.
		const vite = join(dirname(createRequire(import.meta.url).resolve('vite/package.json')), 'bin/vite.js');
		await execute(process.execPath, [vite, 'build', 'client', '--outDir', made], { cwd: folder });
		expect(await filesOf(join(folder, 'static'))).toEqual(await filesOf(made));
	});

	test('have at most 150 KB of JavaScript and 12 KB of styles, compressed', async () => {
		const assets = join(folder, 'static/console');
		const sizes = { '.js': 0, '.css': 0 };
		for (const name of await readdir(assets)) {
			const ending = /\.\w+$/.exec(name)?.[0] as keyof typeof sizes;
			if (ending in sizes) sizes[ending] += gzipSync(await readFile(join(assets, name))).byteLength;
		}
		expect(sizes['.js']).toBeGreaterThan(1_000);
		expect(sizes['.js']).toBeLessThanOrEqual(150_000);
		expect(sizes['.css']).toBeLessThanOrEqual(12_000);
	});
});

/** The hashes of all files below a folder, by name. */
async function filesOf(base: string): Promise<Readonly<Record<string, string>>> {
	const names = (await readdir(base, { recursive: true })).filter((name) => /\.\w+$/.test(name)).toSorted();
	const hashes = names.map(async (name) => [name, hash('sha256', await readFile(join(base, name)))]);
	return Object.fromEntries(await Promise.all(hashes));
}
