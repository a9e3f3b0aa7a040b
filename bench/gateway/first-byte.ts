import type { Row } from '../harness/bench.ts';
import { inTurns, median } from '../harness/rounds.ts';
import { direct, startNginx, startOurs } from './gateways.ts';
import { drive, type GatewaySample } from './load.ts';
import type { MockUpstream } from './upstream.ts';
import { targetOf, workloads } from './workloads.ts';

const rounds = 5;
const roundMs = 600;

/** What a gateway adds to the time until the first byte of a body, with one request at a time. */
export async function firstByte(upstream: MockUpstream): Promise<Row[]> {
	const [ours, nginx] = [await startOurs(upstream, 'chat'), await startNginx(upstream)];
	try {
		const rows: Row[] = [];
		for (const workload of [workloads.chat, workloads.sse]) {
			const sides = { ours, nginx, direct: direct(upstream) };
			const targets = Object.entries(sides).map(([name, gateway]) => [name, targetOf(gateway, workload)] as const);
			const warm = targets.filter(([name]) => name !== 'direct');
			for (const [, target] of warm) await drive(upstream.folder, target, 1, 2 * roundMs);
			const samples = await inTurns(
				rounds,
				Object.fromEntries(targets.map(([name, target]) => [name, () => drive(upstream.folder, target, 1, roundMs)])),
			);
			rows.push(rowOf(workload.name, samples));
		}
		return rows;
	} finally {
		await Promise.all([ours.stop(), nginx.stop()]);
	}
}

function rowOf(name: string, samples: Readonly<Record<string, readonly GatewaySample[]>>): Row {
	const firstOf = (side: string) => samples[side]?.map(({ first }) => first) ?? [];
	const least = median(firstOf('direct'));
	const added = (side: string) => firstOf(side).map((first) => first - least);
	const rounds = { ours: added('ours'), reference: added('nginx') };
	return {
		name: `first byte, ${name}, c=1`,
		unit: 'ms added',
		ours: median(rounds.ours),
		reference: { name: 'nginx', value: median(rounds.reference) },
		goal: { of: 'value', bound: 'at most', limit: 0.5 },
		rounds,
		note: `${least.toFixed(3)} ms without a gateway; medians`,
	};
}
