import { randomBytes } from 'node:crypto';
import type { ChatEvent } from '@plinth/plugin-chat/model';
import { members } from '../upstream/complaint.ts';

/**
 * Puts the pieces of tool calls in order: some servers count them all as 0 and tell them apart by their ids, some
 * leave the index or the id out, and some send a call whole.
 */
export class ToolDeltas {
	readonly #calls: Call[] = [];

	/** The event of one element of `tool_calls`, at `position` of its list. Undefined for a call without a name yet. */
	event(value: unknown, position: number): ChatEvent | undefined {
		const { index, id, function: called } = members(value);
		const { name, arguments: given } = members(called);
		const place = typeof index === 'number' ? index : position;
		const said = typeof id === 'string' && id !== '' ? id : undefined;
		const known = this.#calls.findLastIndex((each) => each.place === place);
		const isNamed = typeof name === 'string' && name !== '';
		const before = this.#calls[known];
		// Some give every piece of a call another id, but only the first one the name.
		const isOther = said !== undefined && before?.id !== said;
		// Others give all their calls one place and no id: a name behind a whole call begins the next one.
		const isNext = isNamed && said === undefined && before !== undefined && isWhole(before.text);
		const isNew = !before || (isOther && isNamed) || isNext;
		const call = isNew ? { place, id: said, text: '', isTold: false } : before;
		const at = isNew ? this.#calls.push(call) - 1 : known;
		const json = textOf(given);
		call.text += json;
		const more = json === '' ? {} : { arguments: json };
		if (call.isTold) return { type: 'tool_call', index: at, ...more };
		// Some send the id before the name.
		if (!isNamed && json === '') return undefined;
		call.isTold = true;
		const own = call.id ?? `call_${randomBytes(12).toString('hex')}`;
		return { type: 'tool_call', index: at, id: own, name: isNamed ? name : '', ...more };
	}
}

interface Call {
	readonly place: number;
	readonly id: string | undefined;
	text: string;
	/** Whether its id and its name have been sent. */
	isTold: boolean;
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
