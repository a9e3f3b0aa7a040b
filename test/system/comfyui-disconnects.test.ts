import { readdirSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { comfyui } from '@plinth/comfyui';
import { createModel, eventually } from '@plinth/testing';
import { expect, onTestFailed, onTestFinished, test } from 'vitest';
import { flux, folder, imageRun, movie, picture, videoRun, wan } from '../../adapters/comfyui/test/harness.ts';
import { ScriptedComfy } from '../../adapters/comfyui/test/scripted/server.ts';
import { systemClock } from '../../adapters/comfyui/test/system-clock.ts';
import { seeded } from '../support/seeded.ts';
import { printTable } from '../support/table.ts';

const isLong = process.env.PLINTH_TEST_LONG === '1';
const rounds = isLong ? 10_000 : Number.POSITIVE_INFINITY;
const mostMs = isLong ? Number.POSITIVE_INFINITY : 20_000;
const atOnce = 8;

/** The open files and the timers of this process. */
function held() {
	const timers = process.getActiveResourcesInfo().filter((name) => name === 'Timeout').length;
	return { files: readdirSync('/proc/self/fd').length, timers };
}

test('no socket, file, timer or prompt remains after random disconnects of clients and sockets', async () => {
	const random = seeded();
	onTestFailed(() => console.error(`PLINTH_TEST_SEED=${random.seed}`));
	const comfy = await new ScriptedComfy({ isForgetful: true, steps: 3 }).start();
	onTestFinished(() => comfy.kill());
	const context = { clock: systemClock, folder };
	const open = async () => ({
		image: await createModel(comfyui.image({ ...flux, baseURL: comfy.url }), context),
		video: await createModel(comfyui.video({ ...wan, baseURL: comfy.url }), context),
	});
	const warm = await open();
	await warm.image.model.generate?.(picture, imageRun());
	await Promise.all([warm.image.close(), warm.video.close()]);
	await eventually('the first connections are closed', () => comfy.connections === 0);
	const before = held();
	const { image, video } = await open();
	const counts = { rounds: 0, finished: 0, 'left by clients': 0, 'sockets dropped': 0 };

	const round = async () => {
		const stop = new AbortController();
		const left = new Error('left');
		const { signal } = stop;
		const size = { width: 64, height: 64 };
		let token: string | undefined;
		const checkpoint = async (one: string) => {
			token = one;
		};
		const isVideo = random.chance(0.4);
		const work = isVideo
			? video.model.generate({ ...movie, size }, videoRun({ signal, checkpoint }))
			: image.model.generate?.({ ...picture, size }, imageRun({ signal, partials: random.integer(0, 2) }));
		const outcome = Promise.resolve(work).then(
			() => 'finished' as const,
			(error: unknown) => (error === left ? ('left by clients' as const) : Promise.reject(error)),
		);
		if (random.chance(0.7)) {
			await delay(random.integer(0, 12));
			stop.abort(left);
		}
		if (random.chance(0.05)) {
			counts['sockets dropped'] += 1;
			comfy.dropSockets();
		}
		counts[await outcome] += 1;
		if (token !== undefined && signal.aborted) await video.model.cancel?.(token);
		counts.rounds += 1;
	};

	const until = Date.now() + mostMs;
	const visitor = async () => {
		while (counts.rounds < rounds && Date.now() < until) await round();
	};
	await Promise.all(Array.from({ length: atOnce }, visitor));
	await eventually('no prompt is left', () => comfy.busy.length === 0);
	await Promise.all([image.close(), video.close()]);
	await eventually('no connection is left', () => comfy.connections === 0);
	await eventually('no file is left', () => held().files <= before.files);
	await eventually('no timer is left', () => held().timers <= before.timers);
	printTable(`disconnects, seed ${random.seed}`, counts);
	expect(counts.finished).toBeGreaterThan(10);
	expect(counts['left by clients']).toBeGreaterThan(10);
});
