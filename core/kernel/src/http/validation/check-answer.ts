import type { Answer } from '../../contract/http/reply.ts';
import type { Route } from '../../contract/http/route.ts';
import { wireForm } from '../answers/base64.ts';
import { describeIssue, rootIssue } from './issues.ts';
import { pathName } from './validate.ts';

/** Rejects with an error that names route, status and member when the schema of a route refuses its JSON answer. */
export type AnswerCheck = (route: Route, answer: Answer) => Promise<void>;

/** The check of answers; undefined in production, where `NODE_ENV` is `production`. */
export function answerCheck(mode = process.env.NODE_ENV): AnswerCheck | undefined {
	return mode === 'production' ? undefined : check;
}

async function check({ method, path, response }: Route, answer: Answer): Promise<void> {
	if (answer.type !== 'json') return;
	const { status = 200, schema, others } = response;
	const declared = answer.status === status ? schema : others?.[answer.status]?.schema;
	if (!declared) return;
	const value = wireForm(answer.value);
	const { error } = await declared.safeParseAsync(value, {
		error: describeIssue,
		reportInput: true,
	});
	const [first] = error?.issues ?? [];
	if (!first) return;
	const issue = rootIssue(first);
	const member = pathName(issue.path) || 'the whole value';
	const answered = `${method} ${path} answered ${answer.status}`;
	throw new Error(`${answered} with JSON that its response schema refuses at ${member}: ${issue.message}.`);
}
