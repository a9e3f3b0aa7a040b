import { base64Of } from '../../../blob.ts';
import { embedded } from '../chat/messages.ts';
import { incompleteStream, type Run } from '../desk/run.ts';

/** The part of an answer that has been received. */
export interface ChatResult {
	readonly text: string;
	/** Tool calls as JSON. */
	readonly calls: readonly string[];
}

interface ToolCall {
	readonly index?: number;
	readonly function?: { readonly name?: string; readonly arguments?: string };
}

interface AssistantMessage {
	readonly content?: string | null;
	readonly refusal?: string | null;
	readonly tool_calls?: readonly ToolCall[];
}

interface ChatAnswer {
	readonly choices: readonly {
		readonly delta?: AssistantMessage;
		readonly message?: AssistantMessage;
		readonly finish_reason?: string | null;
	}[];
	readonly usage?: { readonly total_tokens: number } | null;
	readonly warnings?: readonly string[];
}

/** Requests the answer to a conversation. A streamed answer is shown as it arrives. */
export async function answer(run: Run<ChatResult>): Promise<void> {
	const { fields } = run.call;
	const json = await embedded(fields, base64Of);
	if (fields.stream !== true) {
		addPart(run, (await (await run.send(json)).json()) as ChatAnswer);
		return;
	}
	let isComplete = false;
	const end = () => (isComplete = true);
	for await (const part of run.events<ChatAnswer>(json, end)) addPart(run, part);
	if (!isComplete) throw incompleteStream();
}

function addPart(run: Run<ChatResult>, { choices: [choice], usage, warnings }: ChatAnswer): void {
	run.warn(warnings);
	if (usage) run.facts.value = [...run.facts.value, `${usage.total_tokens} tokens`];
	if (choice?.finish_reason === 'length') run.warn(['The answer ends at the limit of its length.']);
	const part = choice?.delta ?? choice?.message;
	if (!part) return;
	const { text = '', calls = [] } = run.result.value ?? {};
	const next = [...calls];
	for (const [at, { index = at, function: { name, arguments: more = '' } = {} }] of (part.tool_calls ?? []).entries()) {
		next[index] = (next[index] ?? '') + (name ? `${name} ` : '') + more;
	}
	run.result.value = { text: text + (part.content ?? '') + (part.refusal ?? ''), calls: next };
}
