import { randomBytes } from 'node:crypto';
import type { ChatEvent } from '@plinth/plugin-chat/model';
import { members } from '../upstream/reported-error.ts';

/**
 * Assigns the deltas of tool calls to calls. Some servers give every call the index 0 and a different id, some omit
 * the index or the id, and some send a complete call in one delta.
 */
export class ToolDeltas {
	readonly #calls: Call[] = [];

	/** The event of one element of `tool_calls`, at `position` of the list. Undefined until the call has a name. */
	event(value: unknown, position: number): ChatEvent | undefined {
		const { index, id, function: called } = members(value);
		const { name, arguments: rawArguments } = members(called);
		const serverIndex = typeof index === 'number' ? index : position;
		const serverId = typeof id === 'string' && id !== '' ? id : undefined;
		const previousIndex = this.#calls.findLastIndex((each) => each.serverIndex === serverIndex);
		const isNamed = typeof name === 'string' && name !== '';
		const previous = this.#calls[previousIndex];
		// Some servers send a new id with every delta of a call, but the name only with the first.
		const hasOtherId = serverId !== undefined && previous?.id !== serverId;
		// Others give all calls one index and no id: a name after a complete call starts the next call.
		const startsNextCall = isNamed && serverId === undefined && previous !== undefined && isCompleteJson(previous.text);
		const isNew = !previous || (hasOtherId && isNamed) || startsNextCall;
		const call = isNew ? { serverIndex, id: serverId, text: '', isAnnounced: false } : previous;
		const callIndex = isNew ? this.#calls.push(call) - 1 : previousIndex;
		const json = textOf(rawArguments);
		call.text += json;
		const rest = json === '' ? {} : { arguments: json };
		if (call.isAnnounced) return { type: 'tool_call', index: callIndex, ...rest };
		// Some servers send the id before the name.
		if (!isNamed && json === '') return undefined;
		call.isAnnounced = true;
		const callId = call.id ?? `call_${randomBytes(12).toString('hex')}`;
		return { type: 'tool_call', index: callIndex, id: callId, name: isNamed ? name : '', ...rest };
	}
}

interface Call {
	readonly serverIndex: number;
	readonly id: string | undefined;
	text: string;
	/** Whether an event had its id and its name. */
	isAnnounced: boolean;
}

function isCompleteJson(text: string): boolean {
	if (!text.trimEnd().endsWith('}')) return false;
	try {
		return typeof JSON.parse(text) === 'object';
	} catch {
		return false;
	}
}

/** Arguments are JSON text; some servers send the object itself. */
function textOf(value: unknown): string {
	if (typeof value === 'string') return value;
	return typeof value === 'object' && value !== null ? JSON.stringify(value) : '';
}
