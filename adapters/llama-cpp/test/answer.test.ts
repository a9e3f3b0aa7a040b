import { expect, test } from 'vitest';
import { makeAnswer } from '../src/engine/answer.ts';
import type { Engine } from '../src/engine/load.ts';

const task = { history: [], functions: {}, isCallRequired: false, options: {} };

/** A place that knows some tokens already, and tells how many it evaluates. */
function place(known: number, onEvaluate: (tokens: number) => void) {
	return {
		contextSize: 10_000,
		tokenMeter: { getState: () => ({ usedInputTokens: 0, usedOutputTokens: 0 }) },
		compareContextTokens: () => ({ firstDifferentIndex: known }),
		adaptStateToTokens: async () => {},
		evaluateWithoutGeneratingNewTokens: async (tokens: readonly number[]) => onEvaluate(tokens.length),
	};
}

/** An engine whose prompts have a length, and whose answers end at once. */
function engine(promptLength: number, free: Engine['free']): Engine {
	const prompt = Array.from({ length: promptLength }, (_, token) => token);
	const contextText = { tokenize: () => prompt };
	const wrapper = {
		settings: { functions: {} },
		generateContextState: () => ({ contextText, stopGenerationTriggers: [] }),
	};
	class LlamaChat {
		dispose = () => {};
		generateResponse = async () => ({ metadata: { stopReason: 'eogToken' } });
	}
	return { library: { LlamaChat }, model: { tokenizer: {} }, llama: {}, wrapper, free } as unknown as Engine;
}

test('a long prompt is evaluated in steps, and an abort ends it after the step under way', async () => {
	const stop = new AbortController();
	const reason = new Error('The client has left.');
	const steps: number[] = [];
	const only = place(100, (tokens) => {
		steps.push(tokens);
		if (steps.length === 2) stop.abort(reason);
	});
	const free = [only];
	await expect(makeAnswer(engine(5_000, free), task, stop.signal, () => {})).rejects.toBe(reason);
	expect(steps).toEqual([512, 512]);
	expect(free).toEqual([only]);
});

test('all of a prompt but its last token is evaluated, beginning where the place knows no more', async () => {
	const steps: number[] = [];
	const free = [place(100, (tokens) => steps.push(tokens))];
	await makeAnswer(engine(1_000, free), task, new AbortController().signal, () => {});
	expect(steps).toEqual([512, 387]);
});

test('an answer is made in the place that knows most of its conversation', async () => {
	const used: string[] = [];
	const free = [
		place(3, () => used.push('little')),
		place(50, () => used.push('most')),
		place(7, () => used.push('some')),
	];
	await makeAnswer(engine(100, free), task, new AbortController().signal, () => {});
	expect(used).toEqual(['most']);
	expect(free).toHaveLength(3);
});
