import { randomBytes } from 'node:crypto';
import type { Bench } from './harness/bench.ts';
import { Load, type Target, type WireRequest } from './harness/load.ts';
import { startNginx } from './harness/nginx.ts';
import { cpuFigures, inTurns } from './harness/rounds.ts';
import { keyHeaders, startServer } from './harness/server.ts';

const fileBytes = 50 * 1024 * 1024;

/** A large picture that arrives as multipart: parsed, hashed, its type found, on disk when the handler runs. */
export const upload: Bench = {
	name: 'upload',
	about: 'a 50 MB multipart body to disk, against nginx with client_body_in_file_only',
	needs: ['nginx'],
	async run() {
		const [server, nginx, load] = await Promise.all([startServer(), startNginx(), Load.start()]);
		try {
			const targets: Record<'ours' | 'reference', Target> = {
				ours: { ...server, request: form('/v1/bench/uploads') },
				reference: { ...nginx, request: form('/uploads') },
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
			];
		} finally {
			await Promise.all([server.stop(), nginx.stop(), load.stop()]);
		}
	},
};

function form(path: string): WireRequest {
	const boundary = 'boundary-of-the-bench';
	const part = (name: string, more = '') =>
		`--${boundary}\r\nContent-Disposition: form-data; name="${name}"${more}\r\n\r\n`;
	return {
		method: 'POST',
		path,
		headers: { ...keyHeaders, 'content-type': `multipart/form-data; boundary=${boundary}` },
		body: Buffer.concat([
			Buffer.from(`${part('prompt')}A lighthouse\r\n${part('image', '; filename="picture.bin"')}`),
			randomBytes(fileBytes),
			Buffer.from(`\r\n--${boundary}--\r\n`),
		]),
	};
}
