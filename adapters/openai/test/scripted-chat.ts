import type { Clock } from '@plinth/core';
import type { ChatModel } from '@plinth/plugin-chat/model';
import { openai } from '../src/index.ts';
import { fastForwardClock } from './fast-forward-clock.ts';
import { keptLog, modelOf } from './harness.ts';
import { type Handler, type ScriptedUpstream, scripted } from './upstream.ts';

/** The API key of the model at its upstream. */
export const key = 'key-that-nobody-sees';

/** A chat model whose upstream is scripted. */
export interface ScriptedChat {
	readonly upstream: ScriptedUpstream;
	readonly model: ChatModel;
	/** The timers that fired early, in milliseconds. */
	readonly waits: readonly number[];
	readonly lines: readonly string[];
}

/** Creates a chat model and its upstream, which answers with the handlers in order. */
export async function scriptedChat(
	handlers: readonly Handler[],
	options: object = {},
	clockOption?: Clock,
): Promise<ScriptedChat> {
	const upstream = await scripted(...handlers);
	const fastForward = fastForwardClock();
	const clock = clockOption ?? fastForward;
	const { log, lines } = keptLog();
	const instance = openai.chat({ baseURL: upstream.baseURL, apiKey: key, ...options });
	const model = await modelOf(instance, { clock, log });
	return { upstream, waits: fastForward.waits, lines, model };
}
