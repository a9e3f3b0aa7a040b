import type { LanguageModelV3StreamPart, LanguageModelV4StreamPart } from '@ai-sdk/provider';
import type { ChatEvent, ChatUsage, FinishReason } from '@plinth/plugin-chat/model';
import { invalidAnswer, sentences } from '../failure.ts';

export type StreamPart = LanguageModelV3StreamPart | LanguageModelV4StreamPart;
type Finish = Extract<StreamPart, { type: 'finish' }>;

/** The events of one answer. Tools that the provider runs itself, sources and files are left out. */
export async function* eventsOf(parts: AsyncIterable<StreamPart>, provider: string, signal: AbortSignal) {
	const calls = new ToolCalls();
	let finish: Finish | undefined;
	let hasContent = false;
	for await (const part of parts) {
		signal.throwIfAborted();
		yield* calls.read(part);
		if (part.type === 'error') throw part.error;
		if (part.type === 'finish') finish = part;
		if (part.type === 'stream-start') {
			for (const message of sentences(part.warnings)) yield { type: 'warning', message } as const;
		}
		if (part.type === 'reasoning-delta') yield { type: 'reasoning', text: part.delta } as const;
		if (part.type === 'text-delta') yield { type: 'text', text: part.delta } as const;
		hasContent ||= part.type === 'text-delta' || part.type === 'tool-call';
	}
	const { unified = 'interrupted', raw } = finish?.finishReason ?? {};
	// Providers of version 3 report `other` for an answer that ended too early.
	if (['error', 'interrupted'].includes(unified) || (unified === 'other' && raw === undefined)) {
		throw invalidAnswer(provider, `ended before its answer was complete: ${raw ?? unified}`);
	}
	const withheld = { type: 'refusal', text: 'The filter of the model withheld the answer.' } as const;
	if (unified === 'content-filter' && !hasContent) yield withheld;
	const name = unified.replace('-', '_');
	const reason = /^(?:length|content_filter|tool_calls)$/.test(name) ? (name as FinishReason) : 'stop';
	yield { type: 'finish', reason, ...usageOf(finish?.usage) } as const;
}

/** The calls of one answer: by id, their index, and whether their arguments have been sent in pieces. */
class ToolCalls {
	readonly #calls = new Map<string, { readonly index: number; hasPieces: boolean }>();

	*read(part: StreamPart): Generator<ChatEvent> {
		if (part.type === 'tool-input-start' && !part.providerExecuted) {
			// The pieces of such a call are not JSON, so the whole call is awaited.
			const isText = 'inputEncoding' in part && part.inputEncoding === 'text';
			if (!isText) yield this.#start(part.id, part.toolName);
		}
		const call = part.type === 'tool-input-delta' ? this.#calls.get(part.id) : undefined;
		if (part.type === 'tool-input-delta' && call && part.delta !== '') {
			call.hasPieces = true;
			yield { type: 'tool_call', index: call.index, arguments: part.delta };
		}
		if (part.type === 'tool-call' && !part.providerExecuted) {
			const { toolCallId: id, toolName, input } = part;
			if (!this.#calls.has(id)) yield this.#start(id, toolName);
			const { index = 0, hasPieces } = this.#calls.get(id) ?? {};
			if (!hasPieces) yield { type: 'tool_call', index, arguments: input || '{}' };
		}
	}

	#start(id: string, name: string): ChatEvent {
		const index = this.#calls.size;
		this.#calls.set(id, { index, hasPieces: false });
		return { type: 'tool_call', index, id, name };
	}
}

function usageOf({ inputTokens: input, outputTokens: output }: Partial<Finish['usage']> = {}): { usage?: ChatUsage } {
	if (input?.total === undefined || output?.total === undefined) return {};
	const cached = input.cacheRead === undefined ? {} : { cachedTokens: input.cacheRead };
	const reasoning = output.reasoning === undefined ? {} : { reasoningTokens: output.reasoning };
	return { usage: { promptTokens: input.total, completionTokens: output.total, ...cached, ...reasoning } };
}
