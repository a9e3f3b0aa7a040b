import type { ChatEvent } from '@plinth/plugin-chat/model';
import type { ChatOptions } from '../options.ts';

/** The options for loading a model. */
export interface LoadOptions extends ChatOptions {
	/** The file URL of the library, `node-llama-cpp`. */
	readonly library: string;
	/** Whether only the header and the vocabulary are read, as a check. */
	readonly isCheck: boolean;
}

/** One turn of a conversation, in the form of the library. Calls of tools have their results. */
export type Turn = { readonly type: 'system' | 'user'; readonly text: string } | ModelTurn;
type ModelTurn = { readonly type: 'model'; readonly response: readonly unknown[] };

/** The input of one answer. */
export interface AnswerTask {
	/** Ends with a turn of the model, which the answer continues. */
	readonly history: readonly Turn[];
	readonly functions: Readonly<Record<string, { readonly description?: string; readonly params?: object }>>;
	readonly isCallRequired: boolean;
	readonly schema?: object | undefined;
	readonly options: { readonly maxTokens?: number | undefined; readonly [name: string]: unknown };
}

/** A message to the process. */
export type Request =
	| { readonly type: 'load'; readonly options: LoadOptions }
	| { readonly type: 'answer'; readonly id: number; readonly task: AnswerTask }
	| { readonly type: 'abort'; readonly id: number };

/** A message of the process. Each answer has one `end`, also after an abort. */
export type Response =
	/** `kind` is the model's architecture, such as `llama`, or the type of a file that is no model, such as `adapter`. */
	| { readonly type: 'loaded'; readonly kind: string }
	| { readonly type: 'notLoaded'; readonly message: string }
	| { readonly type: 'event'; readonly id: number; readonly event: ChatEvent }
	| { readonly type: 'end'; readonly id: number; readonly problem?: AnswerProblem | undefined };

/** Why there is no answer: because of a parameter of the request, or else of the engine. */
export type AnswerProblem = { readonly message: string; readonly param?: 'messages' | 'tools' | 'response_format' };
