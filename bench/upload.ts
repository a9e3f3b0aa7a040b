import { randomBytes } from 'node:crypto';
import type { Bench, Row } from './harness/bench.ts';
import { cpuOfTree } from './harness/cpu.ts';
import { Load, type Target, type WireRequest } from './harness/load.ts';
import { type Nginx, startNginx } from './harness/nginx.ts';
import { cpuFigures, inTurns } from './harness/rounds.ts';
import { keyHeaders, startServer } from './harness/server.ts';

/** The text field, the name of the file's field and the bytes of the file. */
interface Form {
	readonly text: readonly [string, string];
	readonly file: string;
	readonly bytes: number;
}

const picture: Form = { text: ['prompt', 'A lighthouse'], file: 'image', bytes: 50 * 1024 * 1024 };
const document: Form = { text: ['purpose', 'user_data'], file: 'file', bytes: 49 * 1024 * 1024 };

/**
 * Large multipart uploads, which are parsed, hashed, checked for their type and on disk when the handler runs: many in
 * a row, and one that an idle server stores durably.
 */
export const upload: Bench = {
	name: 'upload',
	about: 'a 50 MB multipart body to disk, against nginx with client_body_in_file_only',
	needs: ['nginx'],
	async run() {
		const [server, nginx, load] = await Promise.all([startServer(), startNginx(), Load.start()]);
		try {
			const targets: Record<'ours' | 'reference', Target> = {
				ours: { ...server, request: form('/v1/bench/uploads', picture) },
				reference: { ...nginx, request: form('/uploads', picture) },
			};
			for (const target of Object.values(targets)) await load.warmUp(target, 1, 3);
			const samples = await inTurns(5, {
				ours: () => load.run(targets.ours, 1, 2_500),
				reference: () => load.run(targets.reference, 1, 2_500),
			});
			return [
				{
					name: 'upload',
					unit: 'CPU ms per upload',
					...cpuFigures(samples, 'nginx body in file'),
					goal: { of: 'ratio', bound: 'at most', limit: 2.5 },
					note: 'ours also takes the form apart, computes the SHA-256 of the file and finds its type',
				},
				await single(load, nginx),
			];
		} finally {
			await Promise.all([server.stop(), nginx.stop(), load.stop()]);
		}
	},
};

/**
 * One large upload to an idle server that has stored two before. The first one also includes the garbage collection
 * after the start, about 60 ms, like any first work of that size.
 */
async function single(load: Load, nginx: Nginx): Promise<Row> {
	const samples = await inTurns(5, {
		async ours() {
			const server = await startServer();
			try {
				const target = { ...server, request: form('/v1/files', document) };
				await load.warmUp(target, 1, 2);
				await untilIdle(server.pid);
				return await load.run(target, 1, 0);
			} finally {
				await server.stop();
			}
		},
		reference: () => load.run({ ...nginx, request: form('/uploads', document) }, 1, 0),
	});
	return {
		name: 'single upload',
		unit: 'CPU ms per upload',
		...cpuFigures(samples, 'nginx body in file'),
		goal: { of: 'ratio', bound: 'at most', limit: 4 },
		note: '49 MB to POST /v1/files of an idle server that has stored two before; ours also makes the file and its record durable',
	};
}

/** Resolves when no process has used processor time for 2.5 s: a server starts one more process 2 s after its start. */
async function untilIdle(pid: number): Promise<void> {
	for (let before = -1; before !== cpuOfTree(pid); ) {
		before = cpuOfTree(pid);
		await new Promise((resolve) => setTimeout(resolve, 2_500));
	}
}

function form(path: string, { text, file, bytes }: Form): WireRequest {
	const boundary = 'boundary-of-the-bench';
	const part = (name: string, more = '') =>
		`--${boundary}\r\nContent-Disposition: form-data; name="${name}"${more}\r\n\r\n`;
	const [name, value] = text;
	return {
		method: 'POST',
		path,
		headers: { ...keyHeaders, 'content-type': `multipart/form-data; boundary=${boundary}` },
		body: Buffer.concat([
			Buffer.from(`${part(name)}${value}\r\n${part(file, '; filename="picture.bin"')}`),
			randomBytes(bytes),
			Buffer.from(`\r\n--${boundary}--\r\n`),
		]),
	};
}
