import { randomBytes } from 'node:crypto';
import type { ChatEvent } from '@plinth/plugin-chat/model';
import { members } from '../upstream/complaint.ts';

/**
 * Puts the pieces of tool calls in order: some servers count them all as 0 and tell them apart by their ids, some leave the index or the id out, and
 * some send a call whole.
 */
export class ToolDeltas {
	readonly #calls: { readonly place: number; readonly id: string | undefined; text: string }[] = [];

	/** The event of one element of `tool_calls`, at `position` of its list. */
	event(value: unknown, position: number): ChatEvent {
		const { index, id, function: called } = members(value);
		const { name, arguments: given } = members(called);
		const place = typeof index === 'number' ? index : position;
		const said = typeof id === 'string' && id !== '' ? id : undefined;
		const known = this.#calls.findLastIndex((call) => call.place === place);
		const isNamed = typeof name === 'string' && name !== '';
		const isOther = said !== undefined && this.#calls[known]?.id !== said;
		// Some give every piece of a call another id, but only the first one the name.
		const before = this.#calls[known];
		// Others give all their calls one place and no id: a name behind a whole call begins the next one.
		const isNext = isNamed && said === undefined && before !== undefined && isWhole(before.text);
		const isNew = !before || (isOther && isNamed) || isNext;
		const json = textOf(given);
		const more = json === '' ? {} : { arguments: json };
		if (!isNew) {
			before.text += json;
			return { type: 'tool_call', index: known, ...more };
		}
		const own = said ?? `call_${randomBytes(12).toString('hex')}`;
		this.#calls.push({ place, id: said, text: json });
		const begin = { id: own, name: isNamed ? name : '' };
		return { type: 'tool_call', index: this.#calls.length - 1, ...begin, ...more };
	}
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
