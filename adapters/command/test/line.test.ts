import type { ImageModel } from '@plinth/plugin-image/model';
import { eventually } from '@plinth/testing';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { command } from '../src/index.ts';
import { createHarness, type Harness, image, imageRun, shell } from './harness.ts';

let harness: Harness;

beforeEach(async () => {
	harness = await createHarness();
});

afterEach(() => harness.remove());

const disconnected = new Error('The client disconnected.');

function sleeping(options: object, script = 'exec sleep 60'): Promise<ImageModel> {
	return harness.make(command.image, { protocol: 'json', argv: shell(script), ...options });
}

/** Requests a picture that is never made. */
function ask(model: ImageModel) {
	const controller = new AbortController();
	const made = model.generate?.(image, imageRun({ signal: controller.signal }));
	made?.catch(() => {});
	return { made, leave: () => controller.abort(disconnected) };
}

function count(script: number): Promise<void> {
	return eventually(`${script} programs run`, () => harness.processes().length === script);
}

describe('the queue of a program', () => {
	test('runs one request at a time; the next one starts when the first has ended', async () => {
		const model = await sleeping({});
		const [first, second] = [ask(model), ask(model)];
		await count(1);
		const [before] = harness.processes();
		first.leave();
		await eventually('another one runs', () => {
			const now = harness.processes();
			return now.length === 1 && now[0] !== before;
		});
		second.leave();
	});

	test('runs as many at once as configured, also when the number is a string from YAML', async () => {
		const model = await sleeping({ concurrency: '2' });
		const all = [ask(model), ask(model), ask(model)];
		await count(2);
		for (const { leave } of all) leave();
	});

	test('rejects requests beyond its length with 429', async () => {
		const model = await sleeping({ waiting: 1 });
		const [first, second, third] = [ask(model), ask(model), ask(model)];
		await expect(third.made).rejects.toMatchObject({
			code: 'E_MODEL_BUSY',
			headers: { 'retry-after': '5' },
		});
		second.leave();
		await expect(second.made).rejects.toBe(disconnected);
		const fourth = ask(model);
		await count(1);
		first.leave();
		fourth.leave();
		await expect(fourth.made).rejects.toBe(disconnected);
	});

	test('keeps the slot of a program until its processes have ended', async () => {
		const model = await sleeping({}, `trap '' TERM; sleep 60; sleep 60`);
		const [first, second] = [ask(model), ask(model)];
		await count(2);
		const before = harness.processes().toSorted();
		first.leave();
		await expect(first.made).rejects.toBe(disconnected);
		await harness.clock.advance(1_000);
		expect(harness.processes().toSorted()).toEqual(before);
		await harness.clock.advance(1_000);
		await eventually('the next request runs', () => {
			const now = harness.processes();
			return now.length === 2 && now.every((pid) => !before.includes(pid));
		});
		second.leave();
		await expect(second.made).rejects.toBe(disconnected);
		await eventually('it is killed', async () => {
			await harness.clock.advance(2_000);
			return harness.processes().length === 0;
		});
	});
});
