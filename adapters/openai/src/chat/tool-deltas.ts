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
		const { name, arguments: given } = members(called);
		const place = typeof index === 'number' ? index : position;
		const said = typeof id === 'string' && id !== '' ? id : undefined;
		const known = this.#calls.findLastIndex((each) => each.place === place);
		const isNamed = typeof name === 'string' && name !== '';
		const before = this.#calls[known];
		// Some servers send a new id with every delta of a call, but the name only with the first.
		const isOther = said !== undefined && before?.id !== said;
		// Others give all calls one index and no id: a name after a complete call starts the next call.
		const isNext = isNamed && said === undefined && before !== undefined && isWhole(before.text);
		const isNew = !before || (isOther && isNamed) || isNext;
		const call = isNew ? { place, id: said, text: '', isAnnounced: false } : before;
		const at = isNew ? this.#calls.push(call) - 1 : known;
		const json = textOf(given);
		call.text += json;
		const more = json === '' ? {} : { arguments: json };
		if (call.isAnnounced) return { type: 'tool_call', index: at, ...more };
		// Some servers send the id before the name.
		if (!isNamed && json === '') return undefined;
		call.isAnnounced = true;
		const own = call.id ?? `call_${randomBytes(12).toString('hex')}`;
		return { type: 'tool_call', index: at, id: own, name: isNamed ? name : '', ...more };
	}
}

interface Call {
	readonly place: number;
	readonly id: string | undefined;
	text: string;
	/** Whether an event had its id and its name. */
	isAnnounced: boolean;
}

function isWhole(text: string): boolean {
	if (!text.trimEnd().endsWith('}')) return false;
	try {
		return typeof JSON.parse(text) === 'object';
	} catch {
		return false;
	}
}

/** Arguments are JSON text; some servers send the object itself. */
function textOf(given: unknown): string {
	if (typeof given === 'string') return given;
	return typeof given === 'object' && given !== null ? JSON.stringify(given) : '';
}
