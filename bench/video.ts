import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createReadStream } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import type { Bench, Row } from './harness/bench.ts';
import { startChild } from './harness/child.ts';
import { cpuOfEnded, cpuOfTree } from './harness/cpu.ts';
import { pathOf } from './harness/programs.ts';
import { cpuFigures, inTurns, type Sample } from './harness/rounds.ts';

const size = '720x1280';
const prompts = {
	sea: 'A lighthouse above the sea at sunset, slow waves',
	city: 'A city at night in the rain',
	woods: 'A forest in autumn, falling leaves, the camera pans slowly',
};

/** Rendering a video, against x264 at its fastest setting that only encodes the same frames. */
export const video: Bench = {
	name: 'video',
	about: `a 4 s ${size} video drawn and encoded, against ffmpeg -preset ultrafast encoding its frames`,
	needs: ['ffmpeg'],
	async run() {
		const dir = await mkdtemp(join(tmpdir(), 'plinth-bench-'));
		try {
			const rows: Row[] = [];
			for (const [name, prompt] of Object.entries(prompts)) {
				rows.push(await compare(name, prompt, dir));
			}
			return rows;
		} finally {
			await rm(dir, { recursive: true, force: true });
		}
	},
};

async function compare(name: string, prompt: string, dir: string): Promise<Row> {
	const [ours, raw, theirs] = ['ours.mp4', 'frames.yuv', 'theirs.mp4'].map((file) => join(dir, file));
	const samples = await inTurns(3, {
		ours: () => render(prompt, ours as string),
		reference: async (round) => {
			if (round === 0) await run(['-i', ours as string, '-f', 'rawvideo', '-pix_fmt', 'yuv420p', raw as string]);
			return encode(raw as string, theirs as string);
		},
	});
	return {
		name: `video ${name}`,
		unit: 'CPU ms per video',
		...cpuFigures(samples, 'libx264 ultrafast'),
		goal: { of: 'ratio', bound: 'at most', limit: 3 },
	};
}

/** Renders in a fresh process, from the request to the completed job: its worker threads start cold. */
async function render(prompt: string, file: string): Promise<Sample> {
	const child = startChild('renderer.ts');
	try {
		await child.next();
		const cpu = cpuOfTree(child.pid);
		const began = performance.now();
		child.send({ fields: { prompt, size, seconds: '4' }, file });
		await child.next();
		const sample = { cpu: cpuOfTree(child.pid) - cpu, wall: performance.now() - began };
		await child.next();
		return sample;
	} finally {
		await child.stop();
	}
}

async function encode(raw: string, file: string): Promise<Sample> {
	const input = ['-f', 'rawvideo', '-pix_fmt', 'yuv420p', '-s', size, '-r', '24', '-i', 'pipe:0'];
	const output = ['-c:v', 'libx264', '-preset', 'ultrafast', file];
	const cpu = cpuOfEnded();
	const began = performance.now();
	await run([...input, ...output], raw);
	return { cpu: cpuOfEnded() - cpu, wall: performance.now() - began };
}

async function run(args: readonly string[], input?: string): Promise<void> {
	const child = spawn(pathOf('ffmpeg'), ['-v', 'error', '-y', ...args], {
		stdio: [input ? 'pipe' : 'ignore', 'ignore', 'inherit'],
	});
	const ended = once(child, 'exit');
	if (input && child.stdin) await pipeline(createReadStream(input, { highWaterMark: 1_048_576 }), child.stdin);
	const [code] = await ended;
	if (code !== 0) throw new Error(`ffmpeg ended with code ${code}.`);
}
