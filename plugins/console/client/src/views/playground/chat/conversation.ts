import { type Signal, signal } from '@preact/signals';
import type { ApiError } from '../../../api.ts';
import { key } from '../../../state/session.ts';
import type { Call } from '../call/call.ts';
import { Run } from '../desk/run.ts';
import { answer, type ChatResult } from '../work/chat.ts';
import type { Exchanged, Question } from './messages.ts';

/** A question, and the run that answers it. */
export interface Exchange extends Question {
	readonly run: Run<ChatResult>;
}

const example: Question = {
	text: 'What is the total of this bill, and when is it due?',
	files: [
		new File(
			['Bill 2041\n\nTwo nights, lake view: 180.00 EUR\nBreakfast: 24.00 EUR\nTotal: 204.00 EUR\nDue: 30 June\n'],
			'bill.txt',
			{ type: 'text/plain' },
		),
	],
};

/** The question that the user is writing. */
export const draft: Signal<Question> = signal(example);
/** The conversation, oldest first. */
export const exchanges: Signal<readonly Exchange[]> = signal([]);
/** Why the server refused the last question. The question is then in the draft again. */
export const refusal: Signal<ApiError | undefined> = signal(undefined);

/** Sends a question. It replaces the exchange `replaced`, if set. */
export async function ask(question: Question, call: Call, replaced?: Exchange): Promise<void> {
	const exchange = { ...question, run: new Run<ChatResult>(call) };
	const before = exchanges.value;
	exchanges.value = replaced ? before.map((each) => (each === replaced ? exchange : each)) : [...before, exchange];
	refusal.value = undefined;
	if (!replaced) draft.value = { text: '', files: [] };
	await exchange.run.start(answer);
	const error = exchange.run.error.value;
	const isRefused = error !== undefined && error.status >= 400 && error.status < 500 && !exchange.run.result.value;
	if (!isRefused || !exchanges.value.includes(exchange)) return;
	exchanges.value = exchanges.value.filter((each) => each !== exchange);
	refusal.value = error;
	if (draft.value.text === '' && draft.value.files.length === 0) draft.value = question;
}

/** The exchanges before `end`, or all of them, for the messages of a request. */
export function exchangedBefore(end?: Exchange): readonly Exchanged[] {
	const all = exchanges.value;
	const past = end ? all.slice(0, all.indexOf(end)) : all;
	return past.map(({ text, files, run }) => ({ text, files, answer: run.result.value?.text ?? '' }));
}

/** Starts a new conversation. */
export function forget(next: Question = { text: '', files: [] }): void {
	for (const { run } of exchanges.value) run.remove();
	exchanges.value = [];
	refusal.value = undefined;
	draft.value = next;
}

// After sign-out, the conversation is removed: the next key may belong to another user.
key.subscribe((present) => present === undefined && forget(example));
