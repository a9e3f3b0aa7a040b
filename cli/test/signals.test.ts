import { EventEmitter } from 'node:events';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { exitTimeoutMs, stopOnSignals } from '../src/signals.ts';

beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout'] }));
afterEach(() => void vi.useRealTimers());

/** A process that records its exit, with an app whose stop the test settles. */
function running() {
	const stop = Promise.withResolvers<void>();
	const codes: number[] = [];
	const written: string[] = [];
	let stops = 0;
	const target = Object.assign(new EventEmitter(), {
		exit: (code: number) => codes.push(code),
		stderr: { write: (text: string) => written.push(text) },
	});
	const app = {
		stop: () => {
			stops += 1;
			return stop.promise;
		},
	};
	stopOnSignals(app, target);
	const signal = (name: 'SIGTERM' | 'SIGINT') => target.emit(name, name);
	return { codes, written, signal, stop, stops: () => stops };
}

const settled = () => new Promise((resolve) => setImmediate(resolve));

describe.each(['SIGTERM', 'SIGINT'] as const)('after %s, the process', (name) => {
	test('exits 0 when the app has stopped, and not earlier', async () => {
		const { codes, signal, stop } = running();
		signal(name);
		await settled();
		expect(codes).toEqual([]);
		stop.resolve();
		await settled();
		expect(codes).toEqual([0]);
	});

	test('exits 1 and prints the reason when the stop fails', async () => {
		const { codes, written, signal, stop } = running();
		signal(name);
		stop.reject(new Error('the disk is gone'));
		await settled();
		expect(codes).toEqual([1]);
		expect(written.at(-1)).toContain('the disk is gone');
	});

	test('exits 1 when the stop hangs', () => {
		const { codes, signal } = running();
		signal(name);
		vi.advanceTimersByTime(exitTimeoutMs - 1);
		expect(codes).toEqual([]);
		vi.advanceTimersByTime(1);
		expect(codes).toEqual([1]);
	});

	test('exits 1 immediately at a second signal of either name', () => {
		for (const second of ['SIGTERM', 'SIGINT'] as const) {
			const { codes, signal, stops } = running();
			signal(name);
			signal(second);
			expect([codes, stops()]).toEqual([[1], 1]);
		}
	});
});
