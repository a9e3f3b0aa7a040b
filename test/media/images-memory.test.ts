import { type ChildProcess, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { crc32, deflateSync } from 'node:zlib';
import { sharpImages } from '@plinth/sharp';
import { createBackend } from '@plinth/testing';
import type { FitOptions, ImageCodec, ImageInfo } from '@plinth/toolkit';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';

/** The growth of the server process and the size of its worker, in bytes. */
const maxGrowth = 150e6;
const maxWorker = 600e6;

/**
 * A process that contains the codec and nothing else. Each input line has a method, files, and options. Each output
 * line has the results and the utilization of the event loop.
 */
const program = `
	import { createInterface } from 'node:readline';
	import { readFile } from 'node:fs/promises';
	import { createBackend } from '@plinth/testing';
	import { sharpImages } from '@plinth/sharp';
	const { provided: images, stop } = await createBackend(sharpImages());
	const small = await images.encode({ width: 8, height: 8, data: new Uint8Array(256) }, { format: 'png' });
	await images.fit(small, { width: 8, height: 8, mode: 'cover' });
	console.log('ready');
	for await (const line of createInterface({ input: process.stdin })) {
		const { method, paths, inMemory, options } = JSON.parse(line);
		const files = await Promise.all(paths.map(async (path) => (inMemory ? readFile(path) : { path })));
		const before = performance.eventLoopUtilization();
		const calls = files.map((image) => options ? images[method](image, options) : images[method](image));
		const answers = (await Promise.allSettled(calls)).map(({ value, reason }) => {
			if (reason) return { error: reason.code, message: reason.message };
			const { data, ...rest } = value;
			return data ? { ...rest, bytes: data.length } : rest;
		});
		console.log(JSON.stringify({ answers, busy: performance.eventLoopUtilization(before).utilization }));
	}
	await stop();
`;

interface Request {
	readonly method: 'probe' | 'fit' | 'transcode';
	readonly paths: readonly string[];
	readonly inMemory?: boolean;
	readonly options?: object;
}

interface Measured {
	readonly answers: readonly Record<string, unknown>[];
	/** The utilization of the event loop, 0 to 1. */
	readonly busy: number;
	/** What the server's process took beyond what it had before, and what its largest child took, in bytes. */
	readonly growth: number;
	readonly worker: number;
}

let folder: string;
let server: ChildProcess;
let lines: AsyncIterator<string>;

beforeAll(async () => {
	folder = await mkdtemp(join(tmpdir(), 'plinth-images-'));
});

afterAll(() => rm(folder, { recursive: true, force: true }));

beforeEach(async () => {
	const flags = ['--conditions=@plinth/source', '--input-type=module', '--eval', program];
	server = spawn(process.execPath, flags, {
		cwd: import.meta.dirname,
		stdio: ['pipe', 'pipe', 'inherit'],
	});
	lines = createInterface({ input: server.stdout as NodeJS.ReadableStream })[Symbol.asyncIterator]();
	expect((await lines.next()).value).toBe('ready');
});

afterEach(async () => {
	if (server.exitCode !== null) return;
	const ended = once(server, 'exit');
	server.stdin?.end();
	await ended;
});

/** Sends a request to the process, and measures its memory and that of its children meanwhile. */
async function ask(request: Request): Promise<Measured> {
	const pid = server.pid as number;
	const before = resident(pid);
	let [growth, worker] = [0, 0];
	const look = () => {
		growth = Math.max(growth, resident(pid) - before);
		worker = Math.max(worker, ...childrenOf(pid).map((child) => resident(child, 'VmHWM')));
	};
	const watch = setInterval(look, 5);
	try {
		server.stdin?.write(`${JSON.stringify(request)}\n`);
		const answer = JSON.parse((await lines.next()).value as string);
		look();
		return { ...answer, growth, worker };
	} finally {
		clearInterval(watch);
	}
}

/** Resident memory of a process in bytes: current or peak. */
function resident(pid: number, which: 'VmRSS' | 'VmHWM' = 'VmRSS'): number {
	try {
		const status = readFileSync(`/proc/${pid}/status`, 'utf8');
		return Number(new RegExp(`^${which}:\\s+(\\d+) kB$`, 'm').exec(status)?.[1] ?? 0) * 1024;
	} catch {
		// The process has ended.
		return 0;
	}
}

function childrenOf(pid: number): number[] {
	const list = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8');
	return list.split(' ').filter(Boolean).map(Number);
}

/** A PNG with stored or compressed rows. */
async function writePng(
	name: string,
	header: { width: number; height: number; depth?: number; type?: number },
	rows: Buffer,
	level = 0,
): Promise<string> {
	const { width, height, depth = 8, type = 2 } = header;
	const start = Buffer.alloc(13);
	start.writeUInt32BE(width, 0);
	start.writeUInt32BE(height, 4);
	start.set([depth, type], 8);
	const path = join(folder, name);
	await writeFile(path, [
		Buffer.from('\x89PNG\r\n\x1a\n', 'latin1'),
		...chunk('IHDR', start),
		...chunk('IDAT', deflateSync(rows, { level })),
		...chunk('IEND', Buffer.alloc(0)),
	]);
	return path;
}

function chunk(type: string, data: Buffer): Buffer[] {
	const [length, sum] = [Buffer.alloc(4), Buffer.alloc(4)];
	length.writeUInt32BE(data.length);
	sum.writeUInt32BE(crc32(data, crc32(type)));
	return [length, Buffer.from(type, 'latin1'), data, sum];
}

/** A PNG of noise, which cannot be compressed: just below 50 MB. */
function noisyPng(name: string): Promise<string> {
	const [width, height] = [4_096, 4_250];
	const rows = randomBytes((width * 3 + 1) * height);
	for (let y = 0; y < height; y++) rows[y * (width * 3 + 1)] = 0;
	return writePng(name, { width, height }, rows);
}

const most = { width: 10_000, height: 5_000 };
const box: FitOptions = { width: 1_280, height: 720, mode: 'cover' };
const fitted = { width: 1_280, height: 720, bytes: 1_280 * 720 * 4 };

/** An image of 50 megapixels, made by the codec itself, in a format that must be decoded as a whole. */
async function largest(format: 'webp' | 'png'): Promise<string> {
	const rows = Buffer.alloc((most.width * 3 + 1) * most.height, 0);
	const png = await writePng('largest.png', most, rows, 1);
	if (format === 'png') return png;
	const path = join(folder, `largest.${format}`);
	const { provided, stop } = await createBackend<ImageCodec>(sharpImages());
	const { data } = await provided.transcode({ path: png }, { format });
	await stop();
	await writeFile(path, data);
	return path;
}

function expectSmall({ growth, worker, busy }: Measured): void {
	expect(growth).toBeLessThan(maxGrowth);
	expect(worker).toBeGreaterThan(0);
	expect(worker).toBeLessThan(maxWorker);
	expect(busy).toBeLessThan(0.5);
}

describe('sixteen pictures of 50 MB at once', () => {
	let paths: readonly string[];

	beforeAll(async () => {
		const first = await noisyPng('noise.png');
		paths = Array.from({ length: 16 }, () => first);
		expect((await readFile(first)).length).toBeGreaterThan(50e6);
	});

	test('are probed and fitted with little memory', async () => {
		const probed = await ask({ method: 'probe', paths });
		const info: ImageInfo = { format: 'png', width: 4_096, height: 4_250, hasAlpha: false };
		expect(probed.answers).toEqual(paths.map(() => info));
		expectSmall(probed);

		const pixels = await ask({ method: 'fit', paths, options: box });
		expect(pixels.answers).toEqual(paths.map(() => fitted));
		// The pixels are in the memory of the server: 3.7 MB each.
		expectSmall(pixels);
	});

	test('are transcoded to small files with little memory', async () => {
		const made = await ask({ method: 'transcode', paths, options: { format: 'jpeg', fit: box } });
		for (const answer of made.answers) expect(answer).toMatchObject({ width: 1_280, height: 720 });
		expectSmall(made);
	});
});

describe('bytes in the memory of the server', () => {
	test('are passed to the worker without a copy in the server', async () => {
		const path = await noisyPng('noise.png');
		const paths = [path, path];
		// Read before the measurement starts.
		await ask({ method: 'probe', paths, inMemory: true });
		const again = await ask({ method: 'fit', paths, inMemory: true, options: box });
		expect(again.answers).toEqual([fitted, fitted]);
		expectSmall(again);
	});
});

describe('eight pictures of 50 megapixels at once', () => {
	test.each(['png', 'webp'] as const)('are fitted with little memory: %s', async (format) => {
		const path = await largest(format);
		const paths = Array.from({ length: 8 }, () => path);
		const pixels = await ask({ method: 'fit', paths, options: box });
		expect(pixels.answers).toEqual(paths.map(() => fitted));
		expectSmall(pixels);
	});

	test('are transcoded at full size one after the other', async () => {
		const path = await largest('png');
		const made = await ask({
			method: 'transcode',
			paths: [path, path],
			options: { format: 'webp' },
		});
		for (const answer of made.answers) expect(answer).toMatchObject(most);
		expectSmall(made);
	});
});

describe('a picture that is not valid', () => {
	test('is refused within half a second when it is truncated', async () => {
		const whole = await readFile(await noisyPng('noise.png'));
		const path = join(folder, 'cut.png');
		await writeFile(path, whole.subarray(0, 30_000_000));
		// The first call starts the worker, and other tests may keep the processor busy.
		const times: number[] = [];
		while (times.length < 5 && !times.some((ms) => ms < 500)) {
			const start = performance.now();
			const refused = await ask({ method: 'probe', paths: [path] });
			times.push(performance.now() - start);
			expect(refused.answers).toMatchObject([{ error: 'E_IMAGE_UNREADABLE' }]);
			expectSmall(refused);
		}
		expect(Math.min(...times)).toBeLessThan(500);
	});
});

describe('a picture that needs more memory than the limit of the worker', () => {
	test('is refused, and the next one is accepted', async () => {
		// 16 bits of red, green, blue and alpha, rotated by EXIF: more than 400 MB of pixels.
		const rows = Buffer.alloc((most.width * 8 + 1) * 4_900);
		const large = await writePng('deep.png', { ...most, height: 4_900, depth: 16, type: 6 }, rows, 1);
		const png = await readFile(large);
		const exif = Buffer.from('MM\0*\0\0\0\b\0\u0001\u0001\u0012\0\u0003\0\0\0\u0001\0\u0006\0\0\0\0\0\0', 'latin1');
		await writeFile(large, Buffer.concat([png.subarray(0, 33), ...chunk('eXIf', exif), png.subarray(33)]));
		const options = { ...box, width: 5_000, height: 9_000, mode: 'fill' };
		const refused = await ask({ method: 'fit', paths: [large], options });
		expect(refused.answers).toMatchObject([{ error: 'E_IMAGE_TOO_LARGE', message: /memory/ }]);
		expectSmall(refused);
		const next = await ask({ method: 'fit', paths: [await largest('png')], options: box });
		expect(next.answers).toEqual([fitted]);
	});
});
