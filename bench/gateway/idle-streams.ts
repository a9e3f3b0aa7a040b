import type { Row } from '../harness/bench.ts';
import { residentBytes } from '../harness/cpu.ts';
import { median } from '../harness/rounds.ts';
import { type Gateway, startNginx, startOurs } from './gateways.ts';
import { drive, hold } from './load.ts';
import type { MockUpstream } from './upstream.ts';
import { targetOf, workloads } from './workloads.ts';

const streams = 1_000;
/** Memory is still being freed shortly after the first byte of the last stream. */
const settleMs = 1_000;

/**
 * Memory per event stream that has started and is idle. A gateway holds a connection to the client and to the upstream.
 */
export async function idleStreams(upstream: MockUpstream): Promise<Row[]> {
	// The time of a garbage collection varies; nginx has none.
	const ours = await several(3, () => startOurs(upstream, 'chat'), upstream);
	const nginx = await several(1, () => startNginx(upstream), upstream);
	return [
		{
			name: `${streams} idle streams`,
			unit: 'KB per stream',
			ours: median(ours),
			reference: { name: 'nginx', value: median(nginx) },
			goal: { of: 'value', bound: 'at most', limit: 25 },
			rounds: { ours, reference: nginx },
		},
	];
}

/** Measures one process after the other. */
async function several(processes: number, start: () => Promise<Gateway>, upstream: MockUpstream): Promise<number[]> {
	const sizes: number[] = [];
	while (sizes.length < processes) {
		const gateway = await start();
		try {
			sizes.push(await perStream(gateway, upstream));
		} finally {
			await gateway.stop();
		}
	}
	return sizes;
}

/**
 * Growth in kilobytes per stream. The process has handled requests before, so that its heap has its working size.
 */
async function perStream(gateway: Gateway, { folder }: MockUpstream): Promise<number> {
	await drive(folder, targetOf(gateway, workloads.chat), 16, 1_500);
	const target = targetOf(gateway, workloads.held);
	const before = residentBytes(gateway.pid);
	const openStreams = await hold(folder, target, streams);
	await new Promise((resolve) => setTimeout(resolve, settleMs));
	const after = residentBytes(gateway.pid);
	await openStreams.stop();
	return (after - before) / 1024 / streams;
}
