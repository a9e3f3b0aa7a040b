import type { Row } from '../harness/bench.ts';
import type { Target } from '../harness/load.ts';
import { cpuFigures, inTurns, median } from '../harness/rounds.ts';
import { type Likeness, likenessTo } from './check.ts';
import { type Gateway, startBare, startNginx, startOurs, startPortkey } from './gateways.ts';
import { drive, type GatewaySample } from './load.ts';
import type { MockUpstream } from './upstream.ts';
import { targetOf, type Workload } from './workloads.ts';

/** A workload, and how its processor time is measured. */
export interface Plan {
	readonly workload: Workload;
	readonly connections: readonly number[];
	/** The maximum of Plinth's time divided by nginx's; undefined without such a goal. */
	readonly overNginx?: number;
	/** The same for Koa and undici alone. */
	readonly overBare?: number;
	/** The minimum of Portkey's time divided by Plinth's; undefined without such a goal. */
	readonly underPortkey?: number;
	/** Whether Portkey is measured. */
	readonly withPortkey: boolean;
	/** Whether the libraries alone are measured. */
	readonly withBare: boolean;
	/** Length of a round in milliseconds, and how many there are. */
	readonly ms: number;
	readonly rounds: number;
	/** What counts as a request instead: events of a stream. */
	readonly per?: { readonly name: string; readonly count: number };
}

/** Warm-up, in turns like the measurement, so that V8 compiles the hot code. */
const warmUp = { rounds: 2, ms: 4_000, connections: 32 };

/**
 * The first milliseconds of a round do not count. While the other gateways are measured, V8 drops compiled code with
 * the objects that used it, and needs about three seconds to compile it again. The figures are those of a busy server.
 */
const leadMs = 4_000;

/**
 * Checks the responses of one workload against the upstream's, then measures the processor time of each gateway in
 * turns. The result is one row against nginx and one against Portkey for each number of connections.
 */
export async function processorTime(upstream: MockUpstream, plan: Plan): Promise<Row[]> {
	const { workload, connections } = plan;
	const gateways: Gateway[] = [];
	const started = async <G extends Gateway | undefined>(starting: Promise<G>): Promise<G> => {
		const gateway = await starting;
		if (gateway) gateways.push(gateway);
		return gateway;
	};
	try {
		const ours = await started(startOurs(upstream, workload.kind));
		const likeness = await likenessTo(upstream, ours, workload);
		const nginx = await started(startNginx(upstream));
		const portkey = plan.withPortkey ? await started(startPortkey(upstream)) : undefined;
		const bare = plan.withBare ? await started(startBare(upstream)) : undefined;
		const warming = gateways.map((gateway, index) => {
			const target = targetOf(gateway, workload);
			return [index, () => drive(upstream.folder, target, warmUp.connections, warmUp.ms)] as const;
		});
		await inTurns(warmUp.rounds, Object.fromEntries(warming));
		const rows: Row[] = [];
		for (const count of connections) {
			const targets = {
				ours,
				nginx,
				...(portkey ? { portkey } : {}),
				...(bare ? { bare } : {}),
			};
			const samples = await measured(upstream, plan, count, targets);
			rows.push(...rowsOf(plan, count, samples, likeness));
			if (bare) rows.push(bareRow(plan, count, samples));
		}
		return rows;
	} finally {
		await Promise.all(gateways.map((gateway) => gateway.stop()));
	}
}

/** By the names of gateways. */
type Samples = Readonly<Record<string, readonly GatewaySample[]>>;

async function measured(
	{ folder }: MockUpstream,
	{ workload, rounds, ms, per }: Plan,
	connections: number,
	gateways: Readonly<Record<string, Gateway>>,
): Promise<Samples> {
	const round = (target: Target) => async (): Promise<GatewaySample> => {
		await drive(folder, target, connections, leadMs);
		const sample = await drive(folder, target, connections, ms);
		return { ...sample, cpu: sample.cpu / (per?.count ?? 1) };
	};
	const sides = Object.entries(gateways).map(([name, gateway]) => [name, round(targetOf(gateway, workload))] as const);
	return inTurns(rounds, Object.fromEntries(sides));
}

function rowsOf(
	{ workload, overNginx, underPortkey, per }: Plan,
	connections: number,
	{ ours = [], nginx = [], portkey }: Samples,
	likeness: Likeness,
): Row[] {
	const common = {
		name: `${workload.name}, c=${connections}`,
		unit: `CPU us per ${per?.name ?? 'request'}`,
	};
	const besideNginx: Row = {
		...common,
		...cpuFigures({ ours, reference: nginx }, 'nginx'),
		...goalOf(overNginx),
		note: likenessNote(likeness),
	};
	if (!portkey) return [besideNginx];
	const times = (samples: readonly GatewaySample[]) => `${(medianCpu(portkey) / medianCpu(samples)).toFixed(1)} times`;
	const wanted = underPortkey ? ` (${underPortkey} wanted)` : '';
	return [
		besideNginx,
		{
			...common,
			...cpuFigures({ ours, reference: portkey }, 'Portkey'),
			...goalOf(underPortkey && 1 / underPortkey),
			note: `Portkey uses ${times(ours)} what ours does${wanted}, and ${times(nginx)} what nginx does`,
		},
	];
}

function goalOf(limit: number | undefined): Pick<Row, 'goal'> {
	return limit === undefined ? {} : { goal: { of: 'ratio', bound: 'at most', limit } };
}

/** The cost of Plinth without that of the libraries, and the cost of the libraries compared with nginx. */
function bareRow(
	{ workload, overBare, per }: Plan,
	connections: number,
	{ ours = [], nginx = [], bare = [] }: Samples,
): Row {
	const times = (medianCpu(bare) / medianCpu(nginx)).toFixed(2);
	return {
		name: `${workload.name}, c=${connections}`,
		unit: `CPU us per ${per?.name ?? 'request'}`,
		...cpuFigures({ ours, reference: bare }, 'Koa and undici'),
		...goalOf(overBare),
		note: `Koa and undici alone, with no key, check, limit or log, take ${times} times what nginx does`,
	};
}

function likenessNote({ compared, same }: Likeness): string {
	if (same === compared) return 'clients get the bytes of the upstream';
	return `${same} of ${compared} answers were the bytes of the upstream; the others said the same`;
}

function medianCpu(samples: readonly GatewaySample[]): number {
	return median(samples.map(({ cpu }) => cpu));
}
