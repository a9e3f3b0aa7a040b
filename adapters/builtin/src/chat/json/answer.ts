import type { ChatFormat } from '@plinth/plugin-chat/model';
import type { Question } from '../ask/question.ts';
import type { ChatContext } from '../chat-context.ts';
import type { Answer } from '../quotes.ts';
import { documentFinder } from './documents.ts';
import type { Finder } from './field.ts';
import { fill } from './fill.ts';

/** An answer as the JSON object that a request asks for. */
export function asJson(answer: Answer): Answer {
	const citations = answer.quotes.map(({ file, page, text }) => ({
		file,
		page: page ?? null,
		quote: text,
	}));
	return { ...answer, text: JSON.stringify({ answer: answer.brief ?? answer.text, citations }) };
}

/** An answer as JSON that is valid against a schema; fields that nothing was found for are named in warnings. */
export async function bySchema(
	{ schema }: Extract<ChatFormat, { type: 'schema' }>,
	answer: Answer,
	question: Question,
	desk: ChatContext | undefined,
): Promise<Answer> {
	const finder = desk ? await documentFinder(schema, question, answer, desk) : answerFinder(answer);
	const { value, missing } = await fill(schema, finder);
	const isWritten = missing.length > 0 ? [notFound(missing)] : [];
	return {
		...answer,
		text: JSON.stringify(value),
		warnings: [...(answer.warnings ?? []), ...isWritten],
	};
}

/** Without documents every text is the answer. */
function answerFinder(answer: Answer): Finder {
	const isText = (name: string) => !/\b(?:name|date|id|email|url|type)\b/i.test(name);
	return {
		values: async ({ name, schema }) =>
			schema.enum || schema.format || !isText(name) ? [] : [answer.brief ?? answer.text],
		list: async () => [],
		rows: async () => [],
	};
}

function notFound(missing: readonly string[]): string {
	const named = missing.slice(0, 20).join(', ');
	const rest = missing.length > 20 ? ` and ${missing.length - 20} more` : '';
	return `Nothing was found for ${named}${rest}: the least valid value stands there.`;
}
