import type { Bench, Row } from './harness/bench.ts';
import { Load, type Target } from './harness/load.ts';
import { startNginx } from './harness/nginx.ts';
import { cpuFigures, inTurns } from './harness/rounds.ts';
import { keyHeaders, startServer } from './harness/server.ts';

/** Repeated downloads of a finished video. Its file is in the page cache on both sides. */
export const download: Bench = {
	name: 'download',
	about: 'an 8 MB MP4 from disk, against nginx with sendfile',
	needs: ['nginx'],
	async run() {
		const [server, nginx, load] = await Promise.all([startServer(), startNginx(), Load.start()]);
		try {
			const path = `/v1/videos/${await server.makeVideo()}/content`;
			const content = await server.fetch(path);
			await nginx.add('video.mp4', new Uint8Array(await content.arrayBuffer()));
			const targets: Record<'ours' | 'reference', Target> = {
				ours: { ...server, request: { path, headers: keyHeaders } },
				reference: { ...nginx, request: { path: '/video.mp4' } },
			};
			for (const target of Object.values(targets)) await load.warmUp(target, 4, 150);
			const rows: Row[] = [];
			for (const connections of [1, 16]) rows.push(await compare(load, targets, connections));
			return rows;
		} finally {
			await Promise.all([server.stop(), nginx.stop(), load.stop()]);
		}
	},
};

async function compare(
	load: Load,
	{ ours, reference }: Record<'ours' | 'reference', Target>,
	connections: number,
): Promise<Row> {
	const samples = await inTurns(5, {
		ours: () => load.run(ours, connections, 2_000),
		reference: () => load.run(reference, connections, 2_000),
	});
	return {
		name: `download c=${connections}`,
		unit: 'CPU ms per download',
		...cpuFigures(samples, 'nginx sendfile'),
		goal: { of: 'ratio', bound: 'at most', limit: 2 },
	};
}
