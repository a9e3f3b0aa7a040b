import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readdirSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { VideoModel } from '@plinth/plugin-video/model';
import { eventually } from '@plinth/testing';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { command } from '../src/index.ts';
import { createHarness, type Harness, shell, video, videoRun } from './harness.ts';

let harness: Harness;

beforeEach(async () => {
	harness = await createHarness();
});

// Rejects when a process or a folder is left over.
afterEach(() => harness.remove());

const result = `echo '{"type":"result","file":"made"}'`;
const mp4 = 'printf "\\0\\0\\0\\10ftyp" > made';
const disconnected = new Error('The client disconnected.');

function speaking(script: string): Promise<VideoModel> {
	return harness.make(command.video, { protocol: 'json', argv: shell(script) });
}

/** Starts a program and waits until it has `count` processes. */
async function running(script: string, count: number, model?: VideoModel) {
	const controller = new AbortController();
	const made = (model ?? (await speaking(script))).generate(video, videoRun({ signal: controller.signal }));
	made.catch(() => {});
	await eventually('it runs', () => harness.processes().length === count);
	return { made, leave: () => controller.abort(disconnected) };
}

describe('an abort', () => {
	test('rejects with its reason, and ends the program with all its child processes', async () => {
		const { made, leave } = await running('sleep 60 & sleep 60 & wait', 3);
		leave();
		await expect(made).rejects.toBe(disconnected);
		await harness.clean();
	});

	test('rejects immediately although the program ignores SIGTERM, and kills it two seconds later', async () => {
		const { made, leave } = await running(`trap '' TERM; sleep 60; sleep 60`, 2);
		leave();
		await expect(made).rejects.toBe(disconnected);
		await harness.clock.advance(1_999);
		expect(harness.processes()).toHaveLength(2);
		await harness.clock.advance(1);
		await harness.clean();
	});

	test('lets a program clean up', async () => {
		const tidy = `trap 'echo tidy > ${harness.dir}/tidy; exit' TERM; sleep 60 & wait`;
		const { leave } = await running(tidy, 2);
		leave();
		const file = join(harness.dir, 'tidy');
		await eventually('the program has cleaned up', () => existsSync(file));
		await rm(file);
	});

	test('before the start creates no folder and no process', async () => {
		const signal = AbortSignal.abort(disconnected);
		const model = await speaking('exec sleep 60');
		await expect(model.generate(video, videoRun({ signal }))).rejects.toBe(disconnected);
		expect([harness.processes(), readdirSync(harness.dir)]).toEqual([[], []]);
	});
});

describe('when a program ends', () => {
	test('its child processes end, even if they hold stdout open', async () => {
		const model = await speaking(`sleep 60 & ${mp4}; ${result}`);
		expect((await model.generate(video, videoRun())).body).toHaveLength(8);
		expect(harness.processes()).toEqual([]);
	});

	test('processes outside its group and session end too', async () => {
		const daemon = '(setsid sh -c "sleep 60 & sleep 60" &)';
		const model = await speaking(`${daemon}; ${mp4}; ${result}`);
		expect((await model.generate(video, videoRun())).body).toHaveLength(8);
		expect(harness.processes()).toEqual([]);
	});

	test('its folder is removed before its result is returned', async () => {
		const model = await speaking(`${mp4}; ${result}`);
		await model.generate(video, videoRun());
		expect(readdirSync(harness.dir)).toEqual([]);
	});
});

describe('a program that continues after its result', () => {
	test('is killed after two seconds, and its result is used', async () => {
		const { made } = await running(`${mp4}; ${result}; exec sleep 60`, 1);
		let isThere = false;
		void made.then(() => {
			isThere = true;
		});
		await eventually('its result is read', async () => {
			await harness.clock.advance(100);
			return isThere;
		});
		expect((await made).body).toHaveLength(8);
	});
});

describe('closing a model', () => {
	test('ends running and queued requests', async () => {
		const model = await speaking('exec sleep 60');
		const { made } = await running('', 1, model);
		const waiting = model.generate(video, videoRun());
		waiting.catch(() => {});
		await harness.stop();
		await expect(made).rejects.toMatchObject({ code: 'E_STOPPING' });
		await expect(waiting).rejects.toMatchObject({ code: 'E_STOPPING' });
		expect([harness.processes(), readdirSync(harness.dir)]).toEqual([[], []]);
	});
});

describe('the end of a server', () => {
	test('by SIGKILL to its group ends its programs and daemons, and removes their folders', async () => {
		const host = join(import.meta.dirname, 'host.ts');
		const script = `trap '' TERM; (setsid sleep 60 &) ; sleep 60; sleep 60`;
		const server = spawn(process.execPath, ['--conditions=@plinth/source', host, ...shell(script)], {
			detached: true,
			stdio: 'inherit',
			env: { ...process.env, TMPDIR: harness.dir },
		});
		await eventually('its program runs', () => harness.processes().length === 3, 20_000);
		expect(readdirSync(harness.dir)).toHaveLength(1);
		process.kill(-(server.pid ?? 0), 'SIGKILL');
		await once(server, 'exit');
		await harness.clean();
	});
});
