import type { Answer } from '../../contract/http/reply.ts';
import type { Route } from '../../contract/http/route.ts';
import { wireForm } from '../answers/base64.ts';
import { describeIssue, rootIssue } from './issues.ts';
import { pathName } from './validate.ts';

/**
 * Checks a JSON answer against the schema that its route declares for its status. Throws an error that names route, status and
 * member; clients read a 500. Does nothing in production, where `NODE_ENV` is `production`.
 */
export const checkAnswer: (route: Route, answer: Answer) => Promise<void> | void =
	process.env.NODE_ENV === 'production' ? () => {} : check;

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
	throw new Error(
		`${method} ${path} answered ${answer.status} with JSON that its response schema refuses at ${member}: ${issue.message}.`,
	);
}
