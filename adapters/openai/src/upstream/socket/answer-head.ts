/** What stands before the body of an answer (RFC 9112, §4 and §5). */
export interface AnswerHead {
	readonly status: number;
	readonly message: string;
	/** Names in lower case; of one that comes several times, all values. */
	readonly headers: Readonly<Record<string, string | string[]>>;
	/** How the end of the body is found (RFC 9112, §6.3): bytes it has, or that it comes in chunks, or until the connection is closed. */
	readonly body: number | 'chunked' | 'close';
	/** Whether another request may follow on the connection. */
	readonly keepsAlive: boolean;
}

/** An answer that is no HTTP, or one whose end another reader could see elsewhere. */
export class BadAnswer extends Error {
	readonly code = 'E_BAD_ANSWER';
}

const statusLine = /^HTTP\/1\.([01]) ([1-9]\d\d)(?: ([\t\x20-\x7e\x80-\xff]*))?$/;
const fieldName = /^[\w!#$%&'*+.^`|~-]+$/;
/** Control characters, the tab apart, and what stands for a line's end. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
const notInValues = /[\x00-\x08\x0a-\x1f\x7f]/;

/** Reads a head, without the empty line at its end, as Latin-1. Throws {@link BadAnswer}. */
export function readHead(text: string): AnswerHead {
	const [first = '', ...lines] = text.split('\r\n');
	const [, minor, code, message = ''] = statusLine.exec(first) ?? [];
	if (code === undefined) throw new BadAnswer('The answer begins with no status line of HTTP/1.1.');
	const headers: Record<string, string | string[]> = Object.create(null);
	for (const line of lines) addField(headers, line);
	const status = Number(code);
	const body = bodyOf(status, headers);
	return { status, message, headers, body, keepsAlive: keepsAlive(minor, headers, body) };
}

/** Refuses what cannot become a head any more, so that nobody waits for its end: another protocol, or lines that end in another way. */
export function checkBeginning(text: string): void {
	if (!beginning.startsWith(text.slice(0, beginning.length)) || /(?<!\r)\n/.test(text)) {
		throw new BadAnswer('The answer is none of HTTP/1.1.');
	}
}

const beginning = 'HTTP/1.';

function addField(headers: Record<string, string | string[]>, line: string): void {
	const colon = line.indexOf(':');
	const name = line.slice(0, Math.max(colon, 0));
	const value = trimmed(line.slice(colon + 1));
	if (!fieldName.test(name) || notInValues.test(value)) {
		throw new BadAnswer('The head of the answer has a line that is no header.');
	}
	const key = name.toLowerCase();
	const before = headers[key];
	if (before === undefined) headers[key] = value;
	else if (typeof before === 'string') headers[key] = [before, value];
	else before.push(value);
}

function bodyOf(status: number, headers: AnswerHead['headers']): AnswerHead['body'] {
	const { 'transfer-encoding': coding, 'content-length': length } = headers;
	if (status < 200 || status === 204 || status === 304) return 0;
	if (coding !== undefined) {
		// With both, somebody between may have seen another end (RFC 9112, §6.3).
		if (length === undefined && listOf(coding).join() === 'chunked') return 'chunked';
		throw new BadAnswer('The answer is framed in a way that is not understood.');
	}
	if (length === undefined) return 'close';
	if (typeof length === 'string' && /^\d{1,15}$/.test(length)) return Number(length);
	throw new BadAnswer('The answer has no sound length.');
}

/** RFC 9112, §9.3. */
function keepsAlive(
	minor: string | undefined,
	{ connection }: AnswerHead['headers'],
	body: AnswerHead['body'],
): boolean {
	const options = listOf(connection);
	if (body === 'close' || options.includes('close')) return false;
	// Who speaks HTTP/1.0 has not framed these chunks (RFC 9112, §6.1).
	return minor === '1' || (options.includes('keep-alive') && body !== 'chunked');
}

function listOf(value: string | string[] | undefined): readonly string[] {
	return [value ?? []].flat().flatMap((each) => each.toLowerCase().split(',').map(trimmed));
}

/** Without the blanks around it. What else counts as one for `trim` is part of a value (RFC 9110, §5.6.3). */
function trimmed(text: string): string {
	let from = 0;
	let to = text.length;
	while (from < to && isBlank(text.charCodeAt(from))) from++;
	while (to > from && isBlank(text.charCodeAt(to - 1))) to--;
	return text.slice(from, to);
}

function isBlank(code: number): boolean {
	return code === 0x20 || code === 0x09;
}
