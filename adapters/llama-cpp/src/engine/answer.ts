import { randomUUID } from 'node:crypto';
import type { ChatEvent, FinishReason } from '@plinth/plugin-chat/model';
import type { ChatWrapper, Library, Sequence } from './library.ts';
import type { Engine } from './load.ts';
import type { AnswerProblem, AnswerTask } from './messages.ts';

/** Tokens of the prompt that are evaluated between two checks of the signal. */
const promptStep = 512;

const finishReasons: Readonly<Record<string, FinishReason>> = { maxTokens: 'length', functionCalls: 'tool_calls' };

/**
 * Makes one answer, in the free sequence whose last conversation has the longest common beginning with this one.
 * Resolves with a problem when the conversation does not fit. Rejects when the signal aborts.
 */
export async function makeAnswer(
	{ library, llama, model, free, wrapper }: Engine,
	{ history, functions: offered, isCallRequired, schema, options }: AnswerTask,
	signal: AbortSignal,
	emit: (event: ChatEvent) => void,
): Promise<AnswerProblem | undefined> {
	const chatWrapper = isCallRequired ? forceCall(library, wrapper) : wrapper;
	const functions = Object.keys(offered).length > 0 ? offered : undefined;
	const { contextText } = chatWrapper.generateContextState({ chatHistory: history, availableFunctions: functions });
	const prompt = contextText.tokenize(model.tokenizer);
	// The library also makes the grammars of tools, but during the answer, when it is too late to refuse a schema.
	const schemas = [schema, ...Object.values(offered).map(({ params }) => params)];
	let grammar: object | undefined;
	try {
		[grammar] = await Promise.all(schemas.map((each) => each && llama.createGrammarForJsonSchema(each)));
	} catch {
		return { param: schema ? 'response_format' : 'tools', message: 'The engine cannot make a grammar for a schema.' };
	}
	const shared = free.map((each) => each.compareContextTokens(prompt).firstDifferentIndex);
	const sequence = free.splice(shared.indexOf(Math.max(...shared)), 1)[0] as Sequence;
	const chat = new library.LlamaChat({ contextSequence: sequence, chatWrapper });
	try {
		// The engine reserves one token. It would shorten the conversation if the answer used all others.
		const remainingTokens = sequence.contextSize - prompt.length - 2;
		const message = `The messages have ${prompt.length} tokens. This model reads at most ${sequence.contextSize - 3}.`;
		if (remainingTokens < 1) return { param: 'messages', message };
		const before = sequence.tokenMeter.getState();
		await evaluatePrompt(sequence, prompt, signal);
		const { response, metadata } = await chat.generateResponse(history, {
			...options,
			...callbacks(emit),
			...(functions && { functions }),
			...(grammar && { grammar }),
			maxTokens: Math.min(options.maxTokens ?? remainingTokens, remainingTokens),
			signal,
		});
		// The chat plugin refuses an answer without text. A stop sequence as its text shows why it is empty.
		if (response === '' && metadata.customStopTrigger)
			emit({ type: 'text', text: metadata.customStopTrigger.join('') });
		const { usedInputTokens, usedOutputTokens } = sequence.tokenMeter.getState();
		// The last token of the prompt is evaluated with the first one of the answer.
		const cachedTokens = Math.max(0, prompt.length - 1 - (usedInputTokens - before.usedInputTokens));
		const completionTokens = usedOutputTokens - before.usedOutputTokens;
		const usage = { promptTokens: prompt.length, completionTokens, cachedTokens };
		emit({ type: 'finish', reason: finishReasons[metadata.stopReason] ?? 'stop', usage });
	} finally {
		chat.dispose();
		free.push(sequence);
	}
}

/** The same conversation format, but the turn of the model begins with a call of a tool. */
function forceCall(library: Library, wrapper: ChatWrapper): ChatWrapper {
	const inject = library.LlamaText(wrapper.settings.functions.parallelism?.call.sectionPrefix ?? '');
	const generateContextState: ChatWrapper['generateContextState'] = (options) => {
		const { contextText, stopGenerationTriggers } = wrapper.generateContextState(options);
		return { contextText, stopGenerationTriggers, noPrefixTrigger: { type: 'functionCall', inject } };
	};
	return Object.create(wrapper, { generateContextState: { value: generateContextState } });
}

/** Evaluates the prompt up to its last token in steps, because the engine reads the signal only between tokens. */
async function evaluatePrompt(sequence: Sequence, prompt: readonly number[], signal: AbortSignal): Promise<void> {
	await sequence.adaptStateToTokens(prompt, false);
	const last = prompt.length - 1;
	for (let at = sequence.compareContextTokens(prompt).firstDifferentIndex; at < last; at += promptStep) {
		signal.throwIfAborted();
		await sequence.evaluateWithoutGeneratingNewTokens(prompt.slice(at, Math.min(at + promptStep, last)));
	}
}

function callbacks(emit: (event: ChatEvent) => void) {
	let calls = 0;
	return {
		onResponseChunk({ type, text }: { type?: 'segment'; text: string }) {
			if (text !== '') emit({ type: type === 'segment' ? 'reasoning' : 'text', text });
		},
		onFunctionCall({ functionName: name, params = {} }: { functionName: string; params?: unknown }) {
			emit({ type: 'tool_call', index: calls++, id: `call_${randomUUID()}`, name, arguments: JSON.stringify(params) });
		},
	};
}
