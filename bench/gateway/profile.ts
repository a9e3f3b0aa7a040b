import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startOurs } from './gateways.ts';
import { drive } from './load.ts';
import { type Profile, printSelfTimes } from './self-times.ts';
import { startUpstream } from './upstream.ts';
import { targetOf, type Workload, workloads } from './workloads.ts';

const warmMs = 3_000;
const profiledMs = 5_000;

/** Runs one workload against Plinth with V8's profiler and prints where it spends its time. */
async function profile(workload: Workload, connections: number): Promise<void> {
	const folder = await mkdtemp(join(tmpdir(), 'plinth-bench-'));
	const upstream = await startUpstream();
	try {
		const flags = ['--cpu-prof', `--cpu-prof-dir=${folder}`, '--cpu-prof-interval=500'];
		const began = performance.now();
		const ours = await startOurs(upstream, workload.kind, { execArgv: flags });
		const target = targetOf(ours, workload);
		await drive(upstream.folder, target, connections, warmMs);
		const skipMs = performance.now() - began;
		const { cpu, wall } = await drive(upstream.folder, target, connections, profiledMs);
		// Node writes the profile only when the process exits without being killed.
		await ours.stop('SIGTERM');
		const us = `${cpu.toFixed(1)} CPU us per request, the profiler included`;
		console.log(`${workload.name}, c=${connections}: ${us}; ${wall.toFixed(2)} ms each`);
		for (const file of await readdir(folder)) {
			const written = JSON.parse(await readFile(join(folder, file), 'utf8')) as Profile;
			printSelfTimes(written, skipMs);
		}
	} finally {
		await upstream.stop();
		await rm(folder, { recursive: true, force: true });
	}
}

const [name = '', connections = '32'] = process.argv.slice(2);
const workload = Object.entries(workloads).find(([key]) => key === name && key !== 'held')?.[1];
if (workload) {
	await profile(workload, Number(connections));
} else {
	console.error(
		'Usage: npx node --conditions=@plinth/source bench/gateway/profile.ts chat|sse|paced|image|speech|video [connections]',
	);
	process.exitCode = 1;
}
