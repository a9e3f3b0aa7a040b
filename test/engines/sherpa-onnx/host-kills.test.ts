import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { eventually } from '@plinth/testing';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { writeVits } from '../../../adapters/sherpa-onnx/test/tiny/voices.ts';
import { createHarness, type Harness, installation } from './harness.ts';
import { childrenOf, residentBytes } from './processes.ts';

let harness: Harness;

beforeAll(async () => {
	harness = await createHarness();
	await writeVits(join(harness.dir, 'voice'));
});

afterAll(() => harness.remove());

const host = join(import.meta.dirname, 'host.ts');

test('the engine process ends with each of 50 kills of the server', async () => {
	const round = async (pieces: number) => {
		const args = ['--conditions=@plinth/source', host, join(harness.dir, 'voice'), installation];
		const server = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] });
		let spoken = 0;
		for await (const [chunk] of onData(server.stdout)) {
			spoken += chunk.byteLength;
			if (spoken > pieces) break;
		}
		const [engine = 0, ...more] = childrenOf(server.pid ?? 0);
		expect(more).toEqual([]);
		expect(residentBytes(engine)).toBeGreaterThan(0);
		const ended = once(server, 'exit');
		server.kill('SIGKILL');
		await ended;
		await eventually('the engine has ended', () => residentBytes(engine) === 0);
	};
	for (let at = 0; at < 25; at++) await Promise.all([round(at % 7), round((at + 3) % 5)]);
}, 300_000);

/** The chunks of a stream that stays open when its reader disconnects. */
async function* onData(stream: NodeJS.ReadableStream): AsyncGenerator<[Buffer]> {
	for (;;) yield (await once(stream, 'data')) as [Buffer];
}
