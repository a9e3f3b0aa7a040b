import type { ImageModel } from '@plinth/plugin-image/model';
import { eventually } from '@plinth/testing';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { command } from '../src/index.ts';
import { type Bench, createBench, image, imageRun, shell } from './harness.ts';

let bench: Bench;

beforeEach(async () => {
	bench = await createBench();
});

afterEach(() => bench.remove());

const gone = new Error('The client has disconnected.');

function sleeping(options: object, script = 'exec sleep 60'): Promise<ImageModel> {
	return bench.make(command.image, { protocol: 'json', argv: shell(script), ...options });
}

/** Asks for a picture that is never made. */
function ask(model: ImageModel) {
	const leave = new AbortController();
	const made = model.generate?.(image, imageRun({ signal: leave.signal }));
	made?.catch(() => {});
	return { made, leave: () => leave.abort(gone) };
}

function count(script: number): Promise<void> {
	return eventually(`${script} programs run`, () => bench.processes().length === script);
}

describe('the line before a program', () => {
	test('lets one in at a time; the next one follows when the first has ended', async () => {
		const model = await sleeping({});
		const [first, second] = [ask(model), ask(model)];
		await count(1);
		const [before] = bench.processes();
		first.leave();
		await eventually('another one runs', () => {
			const now = bench.processes();
			return now.length === 1 && now[0] !== before;
		});
		second.leave();
	});

	test('lets as many in as it is told, also by a text out of a YAML file', async () => {
		const model = await sleeping({ concurrency: '2' });
		const all = [ask(model), ask(model), ask(model)];
		await count(2);
		for (const { leave } of all) leave();
	});

	test('refuses with 429 what is beyond its length', async () => {
		const model = await sleeping({ waiting: 1 });
		const [first, second, third] = [ask(model), ask(model), ask(model)];
		await expect(third.made).rejects.toMatchObject({
			code: 'E_MODEL_BUSY',
			headers: { 'retry-after': '5' },
		});
		second.leave();
		await expect(second.made).rejects.toBe(gone);
		const fourth = ask(model);
		await count(1);
		first.leave();
		fourth.leave();
		await expect(fourth.made).rejects.toBe(gone);
	});

	test('keeps the place of a program until it has really ended', async () => {
		const model = await sleeping({}, `trap '' TERM; sleep 60; sleep 60`);
		const [first, second] = [ask(model), ask(model)];
		await count(2);
		const before = bench.processes().toSorted();
		first.leave();
		await expect(first.made).rejects.toBe(gone);
		await bench.clock.advance(1_000);
		expect(bench.processes().toSorted()).toEqual(before);
		await bench.clock.advance(1_000);
		await eventually('the next one runs', () => {
			const now = bench.processes();
			return now.length === 2 && now.every((pid) => !before.includes(pid));
		});
		second.leave();
		await expect(second.made).rejects.toBe(gone);
		await eventually('it is killed', async () => {
			await bench.clock.advance(2_000);
			return bench.processes().length === 0;
		});
	});
});
