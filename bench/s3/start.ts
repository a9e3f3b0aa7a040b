import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Row } from '../harness/bench.ts';
import { inTurns, median } from '../harness/rounds.ts';
import { startOnce } from '../start.ts';

const rounds = 7;
const main = join(import.meta.dirname, '../../cli/src/main.ts');
const preload = `--import=${pathToFileURL(join(import.meta.dirname, 'hide-s3.ts'))}`;

/** Start of a server without S3, with the S3 packages installed and without. While unused, they must cost nothing. */
export async function startWithoutS3(folder: string): Promise<Row[]> {
	const start = (hide: string) =>
		startOnce([main, 'serve'], '/v1/models', folder, { NODE_OPTIONS: preload, BENCH_HIDE: hide });
	const sides = { ours: () => start('0'), reference: () => start('1') };
	for (const side of Object.values(sides)) await side();
	const times = await inTurns(rounds, sides);
	return [
		{
			name: 'start of a server that composes no S3',
			unit: 'ms to the first 200',
			ours: median(times.ours),
			reference: { name: 'S3 not installed', value: median(times.reference) },
			goal: { of: 'ratio', bound: 'at most', limit: 1.05 },
			rounds: times,
		},
	];
}
