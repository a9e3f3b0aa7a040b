import { execFile } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { freePort } from '../../test/support/free-port.ts';
import { pathOf } from '../harness/programs.ts';
import { untilAnswers } from '../harness/ready.ts';
import { writeBodies } from './bodies.ts';
import { end, type Processor, startPinned } from './pinned.ts';

/** Milliseconds between two events of a paced stream. */
export const paceMs = 5;
/** Events of every stream, the last one, `[DONE]`, included. */
export const eventsPerStream = 201;

/** The server behind all gateways, and the folder with its programs and the files of all gateways. */
export interface MockUpstream {
	readonly port: number;
	readonly folder: string;
	/** Ends it and removes the folder. */
	stop(): Promise<void>;
}

/** Compiles the mock upstream and the load generator, and starts the upstream. */
export async function startUpstream(processor: Processor = 'others'): Promise<MockUpstream> {
	const folder = await mkdtemp(join(tmpdir(), 'plinth-bench-'));
	const [mock] = await Promise.all([compile('mock', folder), compile('load', folder)]);
	await writeBodies(folder);
	const port = await freePort();
	const child = startPinned(processor, [mock, String(port), String(paceMs), folder]);
	await untilAnswers(`http://127.0.0.1:${port}/health`, 'The mock upstream');
	return {
		port,
		folder,
		async stop() {
			await end(child);
			await rm(folder, { recursive: true, force: true });
		},
	};
}

/** Compiles one of the C programs for this machine. They are in C to use little processor time. */
async function compile(name: 'mock' | 'load', folder: string): Promise<string> {
	const program = join(folder, name);
	const source = join(import.meta.dirname, `${name}.c`);
	await promisify(execFile)(pathOf('gcc'), ['-O2', '-o', program, source]);
	return program;
}
