import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { Bench, Row } from './harness/bench.ts';
import { cpuOfEnded, cpuOfTree } from './harness/cpu.ts';
import { pathOf } from './harness/programs.ts';
import { cpuFigures, inTurns, type Sample } from './harness/rounds.ts';
import { type Server, startServer } from './harness/server.ts';

const edits = 6;
const square = '1024x1024';
const prompts = {
	scene: 'A lighthouse above the sea at sunset, flowers in the wind',
	masked: 'grayscale and blur 6',
};

/**
 * Edits by the built-in model, from the request to the last byte of the response, compared with the command line of
 * libvips.
 */
export const image: Bench = {
	name: 'image',
	about: 'a masked edit of a 1024x1024 PNG over HTTP, against the vips command line decoding and encoding it',
	needs: ['vips'],
	async run() {
		const dir = await mkdtemp(join(tmpdir(), 'plinth-bench-'));
		const server = await startServer();
		try {
			return [await masking(server, await draw(server, square), await maskOf(server), dir)];
		} finally {
			await server.stop();
			await rm(dir, { recursive: true, force: true });
		}
	},
};

/** Two commands inside a mask. The reference only decodes the picture and encodes it again. */
async function masking(server: Server, picture: Buffer, mask: Buffer, dir: string): Promise<Row> {
	const [from, to] = [join(dir, 'plain.png'), join(dir, 'copy.png')];
	await writeFile(from, picture);
	const request = form(picture, { prompt: prompts.masked, size: square }, mask);
	const samples = await inTurns(5, {
		ours: () => ofServer(server, request),
		reference: () => ofVips(['copy', from, `${to}[compression=3]`]),
	});
	return {
		name: 'image masked edit',
		unit: 'CPU ms per edit',
		...cpuFigures(samples, 'vips copy'),
		goal: { of: 'value', bound: 'at most', limit: 150 },
		note: `"${prompts.masked}" with a mask; the reference decodes and encodes only`,
	};
}

async function ofServer(server: Server, request: () => FormData): Promise<Sample> {
	const once = () => edit(server, request());
	await once();
	const cpu = cpuOfTree(server.pid);
	const began = performance.now();
	for (let index = 0; index < edits; index++) await once();
	return {
		cpu: (cpuOfTree(server.pid) - cpu) / edits,
		wall: (performance.now() - began) / edits,
	};
}

async function ofVips(args: readonly string[]): Promise<Sample> {
	const cpu = cpuOfEnded();
	const began = performance.now();
	for (let index = 0; index < edits; index++) await promisify(execFile)(pathOf('vips'), args);
	return { cpu: (cpuOfEnded() - cpu) / edits, wall: (performance.now() - began) / edits };
}

function form(picture: Buffer, fields: Readonly<Record<string, string>>, mask?: Buffer) {
	return () => {
		const data = new FormData();
		data.set('model', 'builtin-image');
		for (const [name, value] of Object.entries(fields)) data.set(name, value);
		data.set('image', new Blob([Uint8Array.from(picture)]), 'picture.png');
		if (mask) data.set('mask', new Blob([Uint8Array.from(mask)]), 'mask.png');
		return data;
	};
}

async function edit(server: Server, body: FormData): Promise<Buffer> {
	return pictureOf(await server.fetch('/v1/images/edits', { method: 'POST', body }));
}

async function draw(server: Server, size: string, more: object = {}): Promise<Buffer> {
	const body = { model: 'builtin-image', prompt: prompts.scene, size, ...more };
	const answer = await server.fetch('/v1/images/generations', {
		method: 'POST',
		headers: { 'content-type': 'application/json' },
		body: JSON.stringify(body),
	});
	return pictureOf(answer);
}

/** The transparent background of a picture is the part that may be edited. */
function maskOf(server: Server): Promise<Buffer> {
	return draw(server, square, { background: 'transparent' });
}

async function pictureOf(answer: Response): Promise<Buffer> {
	const { data } = (await answer.json()) as { data: readonly { readonly b64_json: string }[] };
	return Buffer.from(data[0]?.b64_json ?? '', 'base64');
}
