import type { Clock } from '@plinth/core';
import type { ChatModel } from '@plinth/plugin-chat/model';
import { openai } from '../src/index.ts';
import { impatientClock } from './clock.ts';
import { keptLog, modelOf } from './harness.ts';
import { type Handler, type Scripted, scripted } from './upstream.ts';

/** The key of the model at its server. */
export const key = 'key-that-nobody-sees';

/** A chat model before a scripted server. */
export interface Asked {
	readonly upstream: Scripted;
	readonly model: ChatModel;
	/** The waits that were over at once. */
	readonly waits: readonly number[];
	readonly lines: readonly string[];
}

/** Makes one, whose server answers as the handlers say. */
export async function asked(handlers: readonly Handler[], options: object = {}, given?: Clock): Promise<Asked> {
	const upstream = await scripted(...handlers);
	const impatient = impatientClock();
	const clock = given ?? impatient;
	const { log, lines } = keptLog();
	const instance = openai.chat({ baseURL: upstream.baseURL, apiKey: key, ...options });
	const model = await modelOf(instance, { clock, log });
	return { upstream, waits: impatient.waits, lines, model };
}
