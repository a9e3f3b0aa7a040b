import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readdirSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { VideoModel } from '@plinth/plugin-video/model';
import { eventually } from '@plinth/testing';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { command } from '../src/index.ts';
import { type Bench, createBench, shell, video, videoRun } from './harness.ts';

let bench: Bench;

beforeEach(async () => {
	bench = await createBench();
});

// Rejects where a process or a folder is left.
afterEach(() => bench.remove());

const result = `echo '{"type":"result","file":"made"}'`;
const mp4 = 'printf "\\0\\0\\0\\10ftyp" > made';
const gone = new Error('The client has disconnected.');

function speaking(script: string): Promise<VideoModel> {
	return bench.make(command.video, { protocol: 'json', argv: shell(script) });
}

/** Starts a program and waits for so many processes of its own. */
async function running(script: string, count: number, model?: VideoModel) {
	const leave = new AbortController();
	const made = (model ?? (await speaking(script))).generate(video, videoRun({ signal: leave.signal }));
	made.catch(() => {});
	await eventually('it runs', () => bench.processes().length === count);
	return { made, leave: () => leave.abort(gone) };
}

describe('an abort', () => {
	test('rejects with its reason, and ends the program with all that it has started', async () => {
		const { made, leave } = await running('sleep 60 & sleep 60 & wait', 3);
		leave();
		await expect(made).rejects.toBe(gone);
		await bench.clean();
	});

	test('keeps nobody waiting for a program that does not heed SIGTERM, which is killed two seconds later', async () => {
		const { made, leave } = await running(`trap '' TERM; sleep 60; sleep 60`, 2);
		leave();
		await expect(made).rejects.toBe(gone);
		await bench.clock.advance(1_999);
		expect(bench.processes()).toHaveLength(2);
		await bench.clock.advance(1);
		await bench.clean();
	});

	test('gives a program the time to clean up', async () => {
		const tidy = `trap 'echo tidy > ${bench.dir}/tidy; exit' TERM; sleep 60 & wait`;
		const { leave } = await running(tidy, 2);
		leave();
		const file = join(bench.dir, 'tidy');
		await eventually('it has cleaned up', () => existsSync(file));
		await rm(file);
	});

	test('before the start makes neither a folder nor a process', async () => {
		const signal = AbortSignal.abort(gone);
		const model = await speaking('exec sleep 60');
		await expect(model.generate(video, videoRun({ signal }))).rejects.toBe(gone);
		expect([bench.processes(), readdirSync(bench.dir)]).toEqual([[], []]);
	});
});

describe('when a program ends', () => {
	test('what it has left in its group ends, although it holds stdout', async () => {
		const model = await speaking(`sleep 60 & ${mp4}; ${result}`);
		expect((await model.generate(video, videoRun())).body).toHaveLength(8);
		expect(bench.processes()).toEqual([]);
	});

	test('what has left its group and its session ends too', async () => {
		const daemon = '(setsid sh -c "sleep 60 & sleep 60" &)';
		const model = await speaking(`${daemon}; ${mp4}; ${result}`);
		expect((await model.generate(video, videoRun())).body).toHaveLength(8);
		expect(bench.processes()).toEqual([]);
	});

	test('its folder is gone before its result is there', async () => {
		const model = await speaking(`${mp4}; ${result}`);
		await model.generate(video, videoRun());
		expect(readdirSync(bench.dir)).toEqual([]);
	});
});

describe('a program that goes on after its result', () => {
	test('is ended after two seconds, and its result counts', async () => {
		const { made } = await running(`${mp4}; ${result}; exec sleep 60`, 1);
		let isThere = false;
		void made.then(() => {
			isThere = true;
		});
		await eventually('its result is read', async () => {
			await bench.clock.advance(100);
			return isThere;
		});
		expect((await made).body).toHaveLength(8);
	});
});

describe('the stop of a model', () => {
	test('ends what runs and what waits', async () => {
		const model = await speaking('exec sleep 60');
		const { made } = await running('', 1, model);
		const waiting = model.generate(video, videoRun());
		waiting.catch(() => {});
		await bench.stop();
		await expect(made).rejects.toMatchObject({ code: 'E_STOPPING' });
		await expect(waiting).rejects.toMatchObject({ code: 'E_STOPPING' });
		expect([bench.processes(), readdirSync(bench.dir)]).toEqual([[], []]);
	});
});

describe('the end of a server', () => {
	test('by SIGKILL to its group ends its programs, and those that have left their group, and removes their folders', async () => {
		const host = join(import.meta.dirname, 'host.ts');
		const script = `trap '' TERM; (setsid sleep 60 &) ; sleep 60; sleep 60`;
		const server = spawn(process.execPath, ['--conditions=@plinth/source', host, ...shell(script)], {
			detached: true,
			stdio: 'inherit',
			env: { ...process.env, TMPDIR: bench.dir },
		});
		await eventually('its program runs', () => bench.processes().length === 3, 20_000);
		expect(readdirSync(bench.dir)).toHaveLength(1);
		process.kill(-(server.pid ?? 0), 'SIGKILL');
		await once(server, 'exit');
		await bench.clean();
	});
});
