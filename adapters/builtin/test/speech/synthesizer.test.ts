import { afterEach, describe, expect, it, vi } from 'vitest';
import { Synthesizer } from '../../src/speech/synthesizer.ts';
import type { Utterance } from '../../src/speech/worker.ts';

const never = new AbortController().signal;
const running: Synthesizer[] = [];

function create(deadlineMs = 20_000): Synthesizer {
	const worker = new URL('./fixtures/worker.ts', import.meta.url);
	const synthesizer = new Synthesizer({ deadlineMs, worker });
	running.push(synthesizer);
	return synthesizer;
}

function utterance(text: string): Utterance {
	return { text, voice: 'kal', settings: {}, shape: { gain: 1, pauseMs: 0 } };
}

async function say(synthesizer: Synthesizer, text: string, signal = never): Promise<string> {
	return new TextDecoder().decode(await synthesizer.say(utterance(text), signal));
}

afterEach(async () => {
	vi.useRealTimers();
	for (const synthesizer of running.splice(0)) await synthesizer.stop();
});

describe('Synthesizer', () => {
	it('hands the compiled module to its thread and answers in order', async () => {
		const synthesizer = create();
		const answers = await Promise.all(['a', 'b', 'c'].map((text) => say(synthesizer, text)));
		expect(answers).toEqual(['a', 'b', 'c'].map((text) => `${text} [object WebAssembly.Module]`));
	});

	it.each([
		['crash', /stopped in the middle/],
		['throw', /stopped in the middle/],
		['trap', /could not speak a part/],
	])('reports a %s to its request and goes on with the next', async (fault, message) => {
		const synthesizer = create();
		const broken = say(synthesizer, fault);
		const next = say(synthesizer, 'next');
		await expect(broken).rejects.toMatchObject({
			code: 'E_MODEL_FAILED',
			message: expect.stringMatching(message),
		});
		expect(await next).toMatch(/^next/);
	});

	it('replaces a thread that misses its deadline', async () => {
		const synthesizer = create(1_500);
		await say(synthesizer, 'warm');
		vi.useFakeTimers({ toFake: ['setTimeout'] });
		const hanging = say(synthesizer, 'hang');
		await new Promise((resolve) => setImmediate(resolve));
		vi.advanceTimersByTime(1_499);
		expect(await Promise.race([hanging, 'not yet'])).toBe('not yet');
		vi.advanceTimersByTime(1);
		vi.useRealTimers();
		await expect(hanging).rejects.toMatchObject({ code: 'E_MODEL_FAILED' });
		expect(await say(synthesizer, 'next')).toMatch(/^next/);
	});

	it('never hands the late answer of a thread it gave up to the next request', async () => {
		const synthesizer = create(1_500);
		await say(synthesizer, 'warm');
		const first = say(synthesizer, 'slow');
		const second = say(synthesizer, 'second');
		const given = expect(first).rejects.toMatchObject({ code: 'E_MODEL_FAILED' });
		await new Promise((resolve) => setImmediate(resolve));
		// The deadline passes and the answer arrives while nothing is looked at: the timer comes first.
		Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 2_600);
		await given;
		expect(await second).toMatch(/^second/);
	});

	it('rejects at once when a running or waiting utterance is aborted', async () => {
		const synthesizer = create();
		const reason = new Error('The client left.');
		const leaving = new AbortController();
		const answers = ['hang', 'waiting'].map((text) => say(synthesizer, text, leaving.signal));
		leaving.abort(reason);
		for (const answer of answers) await expect(answer).rejects.toBe(reason);
		await expect(say(synthesizer, 'late', leaving.signal)).rejects.toBe(reason);
	});

	it('ends all work when it stops, also a thread that hangs', async () => {
		const synthesizer = create();
		await say(synthesizer, 'warm');
		const answers = ['hang', 'waiting'].map((text) => say(synthesizer, text));
		const rejected = answers.map((answer) => expect(answer).rejects.toMatchObject({ code: 'E_STOPPING' }));
		await synthesizer.stop();
		await Promise.all(rejected);
		await expect(say(synthesizer, 'late')).rejects.toMatchObject({ code: 'E_STOPPING' });
	});

	it('reports a thread that cannot start', async () => {
		const worker = new URL('./fixtures/missing.ts', import.meta.url);
		const synthesizer = new Synthesizer({ deadlineMs: 20_000, worker });
		running.push(synthesizer);
		await expect(say(synthesizer, 'a')).rejects.toMatchObject({ code: 'E_MODEL_FAILED' });
	});
});
