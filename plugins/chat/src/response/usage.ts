import type { ChatPart, ChatRequest, ChatUsage } from '../model.ts';

/** Estimated characters per token when the model reports no usage. */
const charactersPerToken = 4;
/** Estimated tokens of a picture, audio or file when the model reports no usage. */
const tokensPerFile = 85;

/** The `usage` of a response. */
export interface WireUsage {
	readonly prompt_tokens: number;
	readonly completion_tokens: number;
	readonly total_tokens: number;
	readonly prompt_tokens_details: { readonly cached_tokens: number; readonly audio_tokens: number };
	readonly completion_tokens_details: {
		readonly reasoning_tokens: number;
		readonly audio_tokens: number;
		readonly accepted_prediction_tokens: number;
		readonly rejected_prediction_tokens: number;
	};
}

/** Whether the reported usage is valid: upstreams may report none or nonsense. */
export function isUsage(usage: ChatUsage | undefined): usage is ChatUsage {
	const { promptTokens, completionTokens, cachedTokens, reasoningTokens } = usage ?? {};
	const counts = [promptTokens, completionTokens, cachedTokens ?? 0, reasoningTokens ?? 0];
	return counts.every((count) => Number.isInteger(count) && Number(count) >= 0);
}

/** Estimates the tokens of a text. */
export function tokensOf(characters: number): number {
	return Math.ceil(characters / charactersPerToken);
}

/** Estimates the tokens of the request. */
export function promptTokens({ messages, tools }: ChatRequest): number {
	const messageLength = messages.reduce((sum, message) => {
		const calls = message.role === 'assistant' ? message.toolCalls : [];
		const callLength = calls.reduce((all, call) => all + call.name.length + call.arguments.length, 0);
		return sum + callLength + message.content.reduce((all, part) => all + charactersOf(part), 0);
	}, 0);
	const toolsLength = tools.length > 0 ? JSON.stringify(tools).length : 0;
	return Math.max(1, tokensOf(messageLength + toolsLength));
}

/** Sums the usage of several answers to one request, which share the prompt. */
export function wireUsage(usages: readonly ChatUsage[]): WireUsage {
	const sum = (count: (usage: ChatUsage) => number | undefined) =>
		usages.reduce((all, usage) => all + (count(usage) ?? 0), 0);
	const prompt = Math.max(0, ...usages.map(({ promptTokens: tokens }) => tokens));
	const completion = sum(({ completionTokens }) => completionTokens);
	return {
		prompt_tokens: prompt,
		completion_tokens: completion,
		total_tokens: prompt + completion,
		prompt_tokens_details: {
			cached_tokens: Math.max(0, ...usages.map(({ cachedTokens = 0 }) => cachedTokens)),
			audio_tokens: 0,
		},
		completion_tokens_details: {
			reasoning_tokens: sum(({ reasoningTokens }) => reasoningTokens),
			audio_tokens: 0,
			accepted_prediction_tokens: 0,
			rejected_prediction_tokens: 0,
		},
	};
}

function charactersOf(part: ChatPart): number {
	if (part.type === 'text' || part.type === 'document') return part.text.length;
	return tokensPerFile * charactersPerToken;
}
