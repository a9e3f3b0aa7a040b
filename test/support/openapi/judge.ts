import type { Received } from './carriers.ts';
import { cut, type FuzzCase } from './case.ts';
import type { ApiDocument, Operation, Schema } from './document.ts';
import type { ReplyChecker } from './replies.ts';

/** What makes an answer wrong: nothing when the list is empty. */
export function judge(
	checks: { readonly document: ApiDocument; readonly replies: ReplyChecker },
	sent: FuzzCase,
	path: string,
	received: Received,
): readonly string[] {
	const { status } = received;
	const found = [...checks.replies.complaints({ method: sent.method, path, ...received })];
	if (status >= 500) found.push(`it failed with ${status}`);
	if (!fitting(sent, status)) {
		const wanted = sent.statuses?.join(' or ') ?? (sent.verdict === 'accept' ? 'success' : '4xx');
		found.push(`it answered ${status}, where ${wanted} is right`);
	}
	if (status >= 400 && status < 500) found.push(...refusal(checks.document, sent, received));
	if (found.length === 0) return [];
	const text = cut(Buffer.from(received.body).toString('latin1'), 600);
	return [...found, `the answer: ${JSON.stringify(text)}`];
}

function fitting({ verdict, statuses, operation }: FuzzCase, status: number): boolean {
	if (statuses) return statuses.includes(status);
	const accepted = successes(operation).includes(status);
	const refused = status >= 400 && status < 500;
	if (verdict === 'accept') return accepted;
	return verdict === 'refuse' ? refused : accepted || refused;
}

/** The statuses of a right request. An operation that is not offered has none but its 404. */
export function successes({ responses }: Operation): readonly number[] {
	const good = Object.keys(responses)
		.map(Number)
		.filter((status) => status < 400);
	return good.length > 0 ? good : [404];
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

function refusal(document: ApiDocument, sent: FuzzCase, { body }: Received): readonly string[] {
	const text = Buffer.from(body).toString();
	let error: ErrorBody['error'];
	try {
		({ error } = JSON.parse(text) as ErrorBody);
	} catch {
		return ['the body of the error is no JSON'];
	}
	const found: string[] = [];
	const { param = null, code = null, message = '' } = error ?? {};
	if (text.length > longestBody) found.push(`the error is ${text.length} characters long`);
	if (echoes(message, sent)) found.push('the error repeats a long piece of the request');
	const names = parameterNames(document, sent.operation);
	const [root = ''] = (param ?? '').split(/[.[]/);
	if (param !== null && code !== 'unknown_parameter' && !names.has(root.toLowerCase())) {
		found.push(`the error blames ${JSON.stringify(param)}, which is no parameter`);
	}
	return found;
}

/** Whether a message holds a piece of the request that is longer than anybody needs to see. */
function echoes(message: string, { body, query, params }: FuzzCase): boolean {
	if (message.length < longestEcho) return false;
	const texts = [decoded(query), ...Object.values(params).map((value) => ('text' in value ? decoded(value.text) : ''))];
	const sources = [body ? Buffer.from(body).toString() : '', ...texts];
	for (let at = 0; at + longestEcho <= message.length; at += 10) {
		const piece = message.slice(at, at + longestEcho);
		if (sources.some((source) => source.includes(piece))) return true;
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

/** Lower case, for headers are. */
function parameterNames(document: ApiDocument, operation: Operation): ReadonlySet<string> {
	const names = (operation.parameters ?? []).map(({ name }) => name);
	for (const { schema } of Object.values(operation.requestBody?.content ?? {})) {
		names.push(...Object.keys(document.resolve(schema as Schema).properties ?? {}));
	}
	return new Set(names.map((name) => name.toLowerCase()));
}
