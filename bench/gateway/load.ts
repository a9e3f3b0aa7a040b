import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { cpuOfTree } from '../harness/cpu.ts';
import { encodeRequest, type Target } from '../harness/load.ts';
import type { Sample } from '../harness/rounds.ts';
import { end, type Processor, startPinned } from './pinned.ts';

/**
 * Figures of one round: `cpu` is the server's microseconds per request, `wall` the median milliseconds of a request.
 */
export interface GatewaySample extends Sample {
	/** The median of milliseconds to the first byte of a body. */
	readonly first: number;
	/** Requests per second. */
	readonly rate: number;
}

/** What the load generator prints. */
interface Printed {
	readonly requests: number;
	readonly refused: number;
	readonly lost: number;
	readonly p50: number;
	readonly first50: number;
}

/**
 * Repeats a request for `ms` milliseconds, waits for the open ones, and divides the server's processor time by the
 * responses. Throws when a response is not 2xx or a connection is lost. `folder` holds the compiled program.
 */
export async function drive(
	folder: string,
	target: Target,
	connections: number,
	ms: number,
	processor: Processor = 'others',
): Promise<GatewaySample> {
	const before = cpuOfTree(target.pid);
	const child = await startLoad(folder, target, [connections, ms], processor);
	const ended = once(child, 'close');
	const text = await outputOf(child);
	await ended;
	const cpu = cpuOfTree(target.pid) - before;
	const { requests, refused, lost, p50, first50 } = JSON.parse(text) as Printed;
	if (requests === 0 || refused > 0 || lost > 0) {
		throw new Error(
			`Of ${requests} answers to ${target.request.path}, ${refused} were refusals and ${lost} were cut off.`,
		);
	}
	return { cpu: (cpu * 1_000) / requests, wall: p50, first: first50, rate: (requests * 1_000) / ms };
}

/** Opens streams and holds them. Throws when a body has not started within 20 seconds. */
export async function hold(folder: string, target: Target, streams: number): Promise<{ stop(): Promise<void> }> {
	const child = await startLoad(folder, target, [streams, 20_000, 'hold']);
	const [line] = (await once(child.stdout ?? child, 'data')) as [Buffer];
	const { begun } = JSON.parse(line.toString()) as { begun: number };
	if (begun < streams) throw new Error(`Only ${begun} of ${streams} streams have begun.`);
	return { stop: () => end(child) };
}

async function startLoad(
	folder: string,
	{ port, request }: Target,
	[connections, ms, ...rest]: readonly [number, number, ...string[]],
	processor: Processor = 'others',
): Promise<ChildProcess> {
	const file = join(folder, `${port}.request`);
	await writeFile(file, encodeRequest(request));
	const command = [join(folder, 'load'), String(port), String(connections), String(ms), file];
	return startPinned(processor, [...command, ...rest], { stdio: ['ignore', 'pipe', 'inherit'] });
}

async function outputOf({ stdout }: ChildProcess): Promise<string> {
	let text = '';
	for await (const chunk of stdout ?? []) text += String(chunk);
	return text;
}
