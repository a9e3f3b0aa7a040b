import { audio } from './audio.ts';
import { comfyui } from './comfyui.ts';
import { download } from './download.ts';
import { gateway } from './gateway.ts';
import type { Bench } from './harness/bench.ts';
import { missing } from './harness/programs.ts';
import { keep, printTable } from './harness/report.ts';
import { image } from './image.ts';
import { memory } from './memory.ts';
import { office } from './office.ts';
import { parse } from './parse.ts';
import { pickup } from './pickup.ts';
import { poll } from './poll.ts';
import { postgres } from './postgres.ts';
import { processes } from './processes.ts';
import { requests } from './requests.ts';
import { s3 } from './s3.ts';
import { sse } from './sse.ts';
import { start } from './start.ts';
import { store } from './store.ts';
import { upload } from './upload.ts';

const benches: readonly Bench[] = [
	store,
	postgres,
	pickup,
	poll,
	download,
	upload,
	start,
	image,
	comfyui,
	audio,
	parse,
	office,
	sse,
	requests,
	processes,
	s3,
	memory,
	gateway,
];

/** Runs the named benchmarks one after the other. The exit code is 1 for errors only: a missed goal is a result. */
async function main(names: readonly string[]): Promise<void> {
	const chosen = names.map((name) => benches.find((bench) => bench.name === name) ?? name);
	const unknown = chosen.filter((bench) => typeof bench === 'string');
	if (names.length === 0 || unknown.length > 0) {
		for (const name of unknown) console.error(`There is no benchmark "${name}".`);
		console.error('Usage: npm run bench -- <name…> | all\n');
		for (const { name, about } of benches) console.error(`  ${name.padEnd(10)} ${about}`);
		process.exitCode = 1;
		return;
	}
	for (const bench of chosen) if (typeof bench !== 'string') await runOne(bench);
}

async function runOne(bench: Bench): Promise<void> {
	console.log(`\n${bench.name}: ${bench.about}`);
	const remedies = missing(bench.needs);
	if (remedies.length > 0) {
		for (const remedy of remedies) console.error(remedy);
		process.exitCode = 1;
		return;
	}
	const began = performance.now();
	try {
		const rows = await bench.run();
		printTable(rows);
		if (!bench.isPartial) keep(bench, rows);
	} catch (error) {
		console.error(error);
		process.exitCode = 1;
	}
	console.log(`(${Math.round((performance.now() - began) / 1000)} s)`);
}

const names = process.argv.slice(2);
await main(names.includes('all') ? benches.map(({ name }) => name) : names);
