import { expect, test } from 'vitest';
import { makeAnswer } from '../src/engine/answer.ts';
import type { Engine } from '../src/engine/load.ts';

const task = { history: [], functions: {}, isCallRequired: false, options: {} };

/** A context sequence that has `known` matching tokens and reports how many it evaluates. */
function sequence(known: number, onEvaluate: (tokens: number) => void) {
	return {
		contextSize: 10_000,
		tokenMeter: { getState: () => ({ usedInputTokens: 0, usedOutputTokens: 0 }) },
		compareContextTokens: () => ({ firstDifferentIndex: known }),
		adaptStateToTokens: async () => {},
		evaluateWithoutGeneratingNewTokens: async (tokens: readonly number[]) => onEvaluate(tokens.length),
	};
}

/** An engine whose prompts have the given length, and whose answers end immediately. */
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

test('a long prompt is evaluated in steps, and an abort ends it after the current step', async () => {
	const stop = new AbortController();
	const reason = new Error('The client disconnected.');
	const steps: number[] = [];
	const only = sequence(100, (tokens) => {
		steps.push(tokens);
		if (steps.length === 2) stop.abort(reason);
	});
	const free = [only];
	await expect(makeAnswer(engine(5_000, free), task, stop.signal, () => {})).rejects.toBe(reason);
	expect(steps).toEqual([512, 512]);
	expect(free).toEqual([only]);
});

test('a prompt is evaluated from the first token that the sequence does not have, except its last token', async () => {
	const steps: number[] = [];
	const free = [sequence(100, (tokens) => steps.push(tokens))];
	await makeAnswer(engine(1_000, free), task, new AbortController().signal, () => {});
	expect(steps).toEqual([512, 387]);
});

test('an answer uses the sequence that has most of its conversation', async () => {
	const used: string[] = [];
	const free = [
		sequence(3, () => used.push('little')),
		sequence(50, () => used.push('most')),
		sequence(7, () => used.push('some')),
	];
	await makeAnswer(engine(100, free), task, new AbortController().signal, () => {});
	expect(used).toEqual(['most']);
	expect(free).toHaveLength(3);
});
