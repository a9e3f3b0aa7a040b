import { randomBytes } from 'node:crypto';
import { modelError } from '@plinth/core';
import type { ChatEvent, ChatRequest } from '../model.ts';

type ToolEvent = Extract<ChatEvent, { type: 'tool_call' }>;

/** A piece of a tool call in the form of the API: the first one of an index has the id and the name. */
export interface ToolPiece {
	readonly type: 'tool_call';
	/** Counts from 0 without gaps, in order of the first pieces. */
	readonly index: number;
	readonly start?: { readonly id: string; readonly name: string };
	readonly arguments: string;
}

interface Call {
	readonly index: number;
	readonly name: string;
	readonly arguments: string[];
	/** UTF-16 units of the arguments. */
	length: number;
}

/** Maximum tool calls per answer, and maximum length of their arguments in UTF-16 units. */
const maxCalls = 128;
const maxArgumentsLength = 1_048_576;

/**
 * Normalises tool calls: every call starts once, with a unique id and a name, and its arguments are valid JSON at the
 * end. Throws `E_MODEL_FAILED` for a call without a name, of a tool that was not offered, or with invalid arguments.
 */
export class ToolCalls {
	readonly #names: ReadonlySet<string>;
	readonly #max: number;
	readonly #ids = new Set<string>();
	readonly #calls = new Map<number, Call>();

	constructor({
		tools,
		toolChoice,
		parallelToolCalls,
	}: Pick<ChatRequest, 'tools' | 'toolChoice' | 'parallelToolCalls'>) {
		this.#names = new Set(toolChoice === 'none' ? [] : tools.map(({ name }) => name));
		this.#max = parallelToolCalls ? maxCalls : 1;
	}

	/** Number of calls so far. */
	get count(): number {
		return this.#calls.size;
	}

	/** Returns undefined for empty pieces, and for further calls when only one is allowed. */
	push(event: ToolEvent): ToolPiece | undefined {
		const { arguments: text = '' } = event;
		const existing = this.#calls.get(event.index);
		if (!existing && this.#max === 1 && this.count === 1) return undefined;
		const call = existing ?? this.#start(event);
		call.length += text.length;
		if (call.length > maxArgumentsLength) {
			throw modelError('The model called a tool with arguments that are too long.');
		}
		if (text !== '') call.arguments.push(text);
		if (existing) return text === '' ? undefined : { ...piece(call), arguments: text };
		return { ...piece(call), start: { id: this.#newId(event), name: call.name }, arguments: text };
	}

	/**
	 * Completes the calls at the end: calls without arguments get `{}`. With `isComplete`, all arguments must
	 * be valid JSON.
	 */
	*end(isComplete: boolean): Generator<ToolPiece> {
		for (const call of this.#calls.values()) {
			if (call.length === 0) yield { ...piece(call), arguments: '{}' };
			else if (isComplete && !isJson(call.arguments.join(''))) {
				throw modelError(`The model called the tool "${call.name}" with arguments that are not valid JSON.`);
			}
		}
	}

	#start({ index, name }: ToolEvent): Call {
		if (typeof name !== 'string' || name === '') {
			throw modelError('The model called a tool without a name.');
		}
		if (!this.#names.has(name)) {
			throw modelError(`The model called the tool "${name.slice(0, 64)}", which it was not offered.`);
		}
		if (this.count === this.#max) throw modelError('The model called too many tools.');
		const call = { index: this.count, name, arguments: [], length: 0 };
		this.#calls.set(index, call);
		return call;
	}

	/** Ids must be unique within an answer. */
	#newId({ id }: ToolEvent): string {
		const isUsable = typeof id === 'string' && id !== '' && !this.#ids.has(id);
		const newId = isUsable ? id : `call_${randomBytes(12).toString('hex')}`;
		this.#ids.add(newId);
		return newId;
	}
}

function piece({ index }: Call): Pick<ToolPiece, 'type' | 'index'> {
	return { type: 'tool_call', index };
}

function isJson(text: string): boolean {
	try {
		JSON.parse(text);
		return true;
	} catch {
		return false;
	}
}
