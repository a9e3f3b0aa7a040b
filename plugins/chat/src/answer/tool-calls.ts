import { randomBytes } from 'node:crypto';
import { modelError } from '@plinth/core';
import type { ChatEvent, ChatRequest } from '../model.ts';

type ToolEvent = Extract<ChatEvent, { type: 'tool_call' }>;

/** A piece of a tool call as the wire has it: the first one of an index has the id and the name. */
export interface ToolPiece {
	readonly type: 'tool_call';
	/** Counts from 0 without gaps, in the order in which the calls began. */
	readonly index: number;
	readonly begin?: { readonly id: string; readonly name: string };
	readonly arguments: string;
}

interface Call {
	readonly index: number;
	readonly name: string;
	readonly arguments: string[];
	/** UTF-16 units of the arguments. */
	length: number;
}

/** Most calls of one answer, and most UTF-16 units of the arguments of one. */
const mostCalls = 128;
const mostArguments = 1_048_576;

/**
 * Makes a model's tool calls what clients insist on: every call begins once, with an id of its own and a name, and its arguments are JSON
 * in the end. Throws `E_MODEL_FAILED` where a call has no name, or none of the tools that were offered, or where its arguments are no JSON.
 */
export class ToolCalls {
	readonly #names: ReadonlySet<string>;
	readonly #most: number;
	readonly #ids = new Set<string>();
	readonly #calls = new Map<number, Call>();

	constructor({
		tools,
		toolChoice,
		parallelToolCalls,
	}: Pick<ChatRequest, 'tools' | 'toolChoice' | 'parallelToolCalls'>) {
		this.#names = new Set(toolChoice === 'none' ? [] : tools.map(({ name }) => name));
		this.#most = parallelToolCalls ? mostCalls : 1;
	}

	/** Calls so far. */
	get count(): number {
		return this.#calls.size;
	}

	/** Undefined for what says nothing new, and for calls beyond the one that was allowed. */
	push(event: ToolEvent): ToolPiece | undefined {
		const { arguments: text = '' } = event;
		const known = this.#calls.get(event.index);
		if (!known && this.#most === 1 && this.count === 1) return undefined;
		const call = known ?? this.#begin(event);
		call.length += text.length;
		if (call.length > mostArguments) {
			throw modelError('The model called a tool with longer arguments than fit.');
		}
		if (text !== '') call.arguments.push(text);
		if (known) return text === '' ? undefined : { ...piece(call), arguments: text };
		return { ...piece(call), begin: { id: this.#idOf(event), name: call.name }, arguments: text };
	}

	/** What is missing when no more is to come: calls without arguments have none. With `isWhole`, all arguments must be JSON. */
	*end(isWhole: boolean): Generator<ToolPiece> {
		for (const call of this.#calls.values()) {
			if (call.length === 0) yield { ...piece(call), arguments: '{}' };
			else if (isWhole && !isJson(call.arguments.join(''))) {
				throw modelError(
					`The model called the tool "${call.name}" with arguments that are no JSON.`,
				);
			}
		}
	}

	#begin({ index, name }: ToolEvent): Call {
		if (typeof name !== 'string' || name === '') {
			throw modelError('The model called a tool without a name.');
		}
		if (!this.#names.has(name)) {
			throw modelError(
				`The model called the tool "${name.slice(0, 64)}", which it was not offered.`,
			);
		}
		if (this.count === this.#most) throw modelError('The model called more tools than fit.');
		const call = { index: this.count, name, arguments: [], length: 0 };
		this.#calls.set(index, call);
		return call;
	}

	/** The caller tells calls apart by their ids. */
	#idOf({ id }: ToolEvent): string {
		const isOwn = typeof id === 'string' && id !== '' && !this.#ids.has(id);
		const own = isOwn ? id : `call_${randomBytes(12).toString('hex')}`;
		this.#ids.add(own);
		return own;
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
