import { firstByte } from './gateway/first-byte.ts';
import { idleStreams } from './gateway/idle-streams.ts';
import { type Plan, processorTime } from './gateway/processor-time.ts';
import { eventsPerStream, type MockUpstream, startUpstream } from './gateway/upstream.ts';
import { workloads } from './gateway/workloads.ts';
import type { Bench, Row } from './harness/bench.ts';

const usual = { ms: 1_600, rounds: 3, withPortkey: true, withBare: true };

const plans = {
	chat: {
		...usual,
		workload: workloads.chat,
		connections: [32, 128],
		overBare: 1.4,
		underPortkey: 6,
	},
	sse: {
		...usual,
		workload: workloads.sse,
		connections: [32, 128],
		overNginx: 2.5,
	},
	paced: {
		...usual,
		workload: workloads.paced,
		connections: [128],
		overNginx: 1.9,
		// A stream takes a second.
		ms: 2_000,
		rounds: 3,
		per: { name: 'event', count: eventsPerStream },
	},
	image: {
		...usual,
		workload: workloads.image,
		connections: [32],
		overBare: 1.1,
		underPortkey: 7,
	},
	speech: {
		...usual,
		workload: workloads.speech,
		connections: [32],
		overBare: 1.2,
		underPortkey: 15,
	},
	video: {
		...usual,
		workload: workloads.video,
		connections: [16],
		overNginx: 3,
		withPortkey: false,
		withBare: false,
	},
} as const satisfies Record<string, Plan>;

const parts: Readonly<Record<string, (upstream: MockUpstream) => Promise<Row[]>>> = {
	...Object.fromEntries(
		Object.entries(plans).map(([name, plan]) => [name, (upstream: MockUpstream) => processorTime(upstream, plan)]),
	),
	idle: idleStreams,
	first: firstByte,
};

const wanted = process.env.PLINTH_BENCH_GATEWAY?.split(',').filter(Boolean) ?? [];
let hasLeftOut = false;

/** Plinth in front of an upstream that speaks OpenAI's API: the cost of a request, compared with nginx and Portkey. */
export const gateway: Bench = {
	name: 'gateway',
	about: 'requests passed on to an upstream, against nginx and Portkey (about a quarter of an hour)',
	needs: ['gcc', 'nginx', 'taskset'],
	get isPartial() {
		return wanted.length > 0 || hasLeftOut;
	},
	async run() {
		const unknown = wanted.filter((name) => !(name in parts));
		if (unknown.length > 0) {
			throw new Error(
				`PLINTH_BENCH_GATEWAY names ${unknown.join(', ')}: the parts are ${Object.keys(parts).join(', ')}.`,
			);
		}
		const upstream = await startUpstream();
		try {
			const rows: Row[] = [];
			for (const [name, run] of Object.entries(parts)) {
				if (wanted.length > 0 && !wanted.includes(name)) continue;
				try {
					rows.push(...(await run(upstream)));
				} catch (error) {
					// Figures of wrong responses are worthless. The figures of the other parts are still valid.
					console.error(`${name} is left out:`, error);
					hasLeftOut = true;
					process.exitCode = 1;
				}
			}
			return rows;
		} finally {
			await upstream.stop();
		}
	},
};
