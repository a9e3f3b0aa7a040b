import { type FuzzCase, truncate } from './case.ts';
import type { ApiDocument, Operation, Schema } from './document.ts';
import type { ResponseChecker } from './response-checker.ts';
import type { Received } from './transports.ts';

/** The faults of a response; an empty list means that it is correct. */
export function verifyResponse(
	checks: { readonly document: ApiDocument; readonly checker: ResponseChecker },
	fuzzCase: FuzzCase,
	path: string,
	received: Received,
): readonly string[] {
	const { status } = received;
	const found = [...checks.checker.violations({ method: fuzzCase.method, path, ...received })];
	if (status >= 500) found.push(`the server failed with ${status}`);
	if (!matchesVerdict(fuzzCase, status)) {
		const expected = fuzzCase.statuses?.join(' or ') ?? (fuzzCase.verdict === 'accept' ? 'success' : '4xx');
		found.push(`the status is ${status}, expected ${expected}`);
	}
	if (status >= 400 && status < 500) found.push(...errorFaults(checks.document, fuzzCase, received));
	if (found.length === 0) return [];
	const text = truncate(Buffer.from(received.body).toString('latin1'), 600);
	return [...found, `the response: ${JSON.stringify(text)}`];
}

function matchesVerdict({ verdict, statuses, operation }: FuzzCase, status: number): boolean {
	if (statuses) return statuses.includes(status);
	const accepted = successes(operation).includes(status);
	const refused = status >= 400 && status < 500;
	if (verdict === 'accept') return accepted;
	return verdict === 'refuse' ? refused : accepted || refused;
}

/** The success statuses of an operation. An operation that is disabled in this deployment answers 404 only. */
export function successes({ responses }: Operation): readonly number[] {
	const statuses = Object.keys(responses)
		.map(Number)
		.filter((status) => status < 400);
	return statuses.length > 0 ? statuses : [404];
}

interface ErrorBody {
	readonly error?: {
		readonly message?: string;
		readonly param?: string | null;
		readonly code?: string;
	};
}

const longestEcho = 130;
const longestBody = 3_000;

function errorFaults(document: ApiDocument, fuzzCase: FuzzCase, { body }: Received): readonly string[] {
	const text = Buffer.from(body).toString();
	let error: ErrorBody['error'];
	try {
		({ error } = JSON.parse(text) as ErrorBody);
	} catch {
		return ['the error body is not JSON'];
	}
	const found: string[] = [];
	const { param = null, code = null, message = '' } = error ?? {};
	if (text.length > longestBody) found.push(`the error is ${text.length} characters long`);
	if (echoes(message, fuzzCase)) found.push('the error repeats a long part of the request');
	const names = parameterNames(document, fuzzCase.operation);
	const [root = ''] = (param ?? '').split(/[.[]/);
	if (param !== null && code !== 'unknown_parameter' && !names.has(root.toLowerCase())) {
		found.push(`the error names ${JSON.stringify(param)}, which is not a parameter`);
	}
	return found;
}

/** Whether a message repeats an unnecessarily long part of the request. */
function echoes(message: string, { body, query, params }: FuzzCase): boolean {
	if (message.length < longestEcho) return false;
	const texts = [decoded(query), ...Object.values(params).map((value) => ('text' in value ? decoded(value.text) : ''))];
	const sources = [body ? Buffer.from(body).toString() : '', ...texts];
	for (let offset = 0; offset + longestEcho <= message.length; offset += 10) {
		const part = message.slice(offset, offset + longestEcho);
		if (sources.some((source) => source.includes(part))) return true;
	}
	return false;
}

function decoded(text: string): string {
	try {
		return decodeURIComponent(text);
	} catch {
		return text;
	}
}

/** In lower case, because header names are. */
function parameterNames(document: ApiDocument, operation: Operation): ReadonlySet<string> {
	const names = (operation.parameters ?? []).map(({ name }) => name);
	for (const { schema } of Object.values(operation.requestBody?.content ?? {})) {
		names.push(...Object.keys(document.resolve(schema as Schema).properties ?? {}));
	}
	return new Set(names.map((name) => name.toLowerCase()));
}
