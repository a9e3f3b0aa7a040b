import { randomBytes } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Place } from '../../test/engines/s3/support.ts';
import type { Row } from '../harness/bench.ts';
import { type Child, startChild } from '../harness/child.ts';
import { cpuOfTree } from '../harness/cpu.ts';
import { Load, type Target } from '../harness/load.ts';
import { cpuFigures, inTurns, type Sample } from '../harness/rounds.ts';
import { keyHeaders } from '../harness/server.ts';
import type { PutRound } from '../subjects/s3.ts';
import type { S3Server } from './server.ts';

const rounds = 5;
const uploadBytes = 50 * 1024 ** 2;
const uploadsPerRound = 1;

/** A video of 8 MB through the API, compared with a server that only pipes the stream of the SDK into its response. */
export async function downloads(server: S3Server, place: Place): Promise<Row[]> {
	const id = await server.makeVideo(8);
	const bare = startChild('s3.ts', { args: ['bare', JSON.stringify(place)] });
	const { port } = await bare.next<{ port: number }>();
	const load = await Load.start();
	const ours: Target = { ...server, request: { path: `/v1/videos/${id}/content`, headers: keyHeaders } };
	const reference: Target = { pid: bare.pid, port, request: { path: `/jobs/${id}/1/video.mp4` } };
	try {
		for (const target of [ours, reference]) await load.warmUp(target, 4, 100);
		const rows: Row[] = [];
		for (const connections of [1, 8]) {
			const samples = await inTurns(rounds, {
				ours: () => load.run(ours, connections, 1_500),
				reference: () => load.run(reference, connections, 1_500),
			});
			rows.push({
				name: `8 MB download c=${connections}`,
				unit: 'CPU ms per download',
				...cpuFigures(samples, 'SDK, piped'),
				goal: { of: 'ratio', bound: 'at most', limit: 1.3 },
			});
		}
		return rows;
	} finally {
		await Promise.all([load.stop(), bare.stop()]);
	}
}

/** A file of 50 MB into the store, with its length and without, compared with the `Upload` of the SDK. */
export async function uploads(place: Place, folder: string): Promise<Row[]> {
	const file = join(folder, 'upload');
	await writeFile(file, randomBytes(uploadBytes));
	const sides = ['store', 'bare'].map((side) => startChild('s3.ts', { args: [side, JSON.stringify(place)] }));
	const [store, bare] = sides as [Child, Child];
	try {
		const [inParts, whole] = [
			{ file, times: uploadsPerRound },
			{ file, times: uploadsPerRound, size: uploadBytes },
		];
		for (const side of sides) {
			await side.next();
			await put(side, inParts);
		}
		const samples = await inTurns(rounds, {
			whole: () => put(store, whole),
			reference: () => put(bare, inParts),
			inParts: () => put(store, inParts),
		});
		const row = (name: string, ours: readonly Sample[]): Row => ({
			name,
			unit: 'CPU ms per upload',
			...cpuFigures({ ours, reference: samples.reference }, 'Upload of the SDK'),
			goal: { of: 'ratio', bound: 'at most', limit: 1.5 },
		});
		return [row('50 MB upload, in parts', samples.inParts), row('50 MB upload, length known', samples.whole)];
	} finally {
		await Promise.all(sides.map((side) => side.stop()));
	}
}

async function put(child: Child, round: PutRound): Promise<Sample> {
	const [cpu, wall] = [cpuOfTree(child.pid), performance.now()];
	child.send(round);
	await child.next();
	return {
		cpu: (cpuOfTree(child.pid) - cpu) / round.times,
		wall: (performance.now() - wall) / round.times,
	};
}
