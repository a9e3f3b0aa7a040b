import { silentLogger } from '@plinth/testing';
import { describe, expect, test } from 'vitest';
import { Lifecycle, within } from '../../src/engine/run/lifecycle.ts';

describe('the lifecycle', () => {
	test('runs the stop steps in reverse order, one at a time', async () => {
		const lifecycle = new Lifecycle(1_000, silentLogger());
		const done: string[] = [];
		for (const name of ['first', 'second', 'third']) {
			lifecycle.onUnwind(name, async () => {
				done.push(`${name} begins`);
				await Promise.resolve();
				done.push(`${name} ends`);
			});
		}
		await lifecycle.unwind();
		expect(done).toEqual(['third', 'second', 'first'].flatMap((name) => [`${name} begins`, `${name} ends`]));
	});

	test('continues when a part fails to stop', async () => {
		const lifecycle = new Lifecycle(1_000, silentLogger());
		let stopped = false;
		lifecycle.onUnwind('good', () => {
			stopped = true;
		});
		lifecycle.onUnwind('bad', () => {
			throw new Error('no');
		});
		await lifecycle.unwind();
		expect(stopped).toBe(true);
	});

	test('runs all stop tasks of a part although one hangs', async () => {
		const lifecycle = new Lifecycle(5, silentLogger());
		const done: string[] = [];
		const tasks = lifecycle.disposeOnUnwind('backend jobs', async () => {
			done.push('disposed');
			await tasks.run();
		});
		lifecycle.onUnwind('kernel', () => void done.push('kernel'));
		tasks.add(() => void done.push('first'));
		tasks.add(() => new Promise(() => {}));
		tasks.add(() => void done.push('last'));
		await lifecycle.unwind();
		expect(done).toEqual(['kernel', 'disposed', 'last', 'first']);
	});

	test('runs a task at once when it is added after the stop', async () => {
		const lifecycle = new Lifecycle(1_000, silentLogger());
		const tasks = lifecycle.disposeOnUnwind('backend jobs', () => tasks.run());
		await lifecycle.unwind();
		const late = Promise.withResolvers<void>();
		tasks.add(late.resolve);
		await late.promise;
	});

	test('names the owner of a step that never settles', async () => {
		const lifecycle = new Lifecycle(5, silentLogger());
		const stuck = lifecycle.step('create', 'backend jobs', 'backends.jobs', () => new Promise(() => {}));
		await expect(stuck).rejects.toMatchObject({
			problems: [{ code: 'E_STEP_TIMEOUT', owner: 'backend jobs', path: 'backends.jobs' }],
		});
	});

	test('keeps the cause of a step that fails', async () => {
		const cause = new Error('the disk is gone');
		const step = new Lifecycle(1_000, silentLogger()).step('create', 'backend blobs', 'backends.blobs', () => {
			throw cause;
		});
		await expect(step).rejects.toMatchObject({
			cause,
			message: expect.stringContaining('failed to create: the disk is gone'),
		});
	});

	test('waits at most for the given time', async () => {
		expect(await within(new Promise(() => {}), 5)).toBe(false);
		expect(await within(Promise.resolve(), 1_000)).toBe(true);
	});
});
