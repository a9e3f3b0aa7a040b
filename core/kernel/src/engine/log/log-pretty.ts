import { styleText } from 'node:util';

type Style = Parameters<typeof styleText>[0];

const levels: Readonly<Record<number, readonly [name: string, style: Style]>> = {
	20: ['debug', 'dim'],
	30: ['info', 'green'],
	40: ['warn', 'yellow'],
	50: ['error', 'red'],
};

/** How far the text below a line, such as a stack, stands to the right. */
const indent = ' '.repeat(15);

/** Turns a JSON line of the log into a line for people: `12:01:02 info  POST /v1/videos 201 12 ms req_1 my-team`. */
export function prettyLine(json: string, hasColors: boolean): string {
	const paint = (style: Style, text: string) =>
		hasColors && text !== '' ? styleText(style, text, { validateStream: false }) : text;
	const { level, time, msg, err, ...fields } = JSON.parse(json) as Record<string, unknown>;
	const [name, style] = levels[Number(level)] ?? ['log', 'dim'];
	const clock = new Date(Number(time)).toTimeString().slice(0, 8);
	const [text, rest] = describe(String(msg), fields);
	const details = Object.entries(rest).map(([key, value]) => `${key}=${plain(value)}`);
	const line = [
		paint('dim', clock),
		paint(style, name.padEnd(5)),
		printable(text),
		paint('dim', printable(details.join(' '))),
	];
	const below = errorLines(err).map((row) => `${indent}${paint('dim', printable(row))}\n`);
	return `${line.filter(Boolean).join(' ')}\n${below.join('')}`;
}

/** The sentence of a line, and the fields that it does not tell. */
function describe(message: string, fields: Record<string, unknown>): [text: string, rest: Record<string, unknown>] {
	if (message === 'request' && typeof fields.route === 'string') return describeRequest(fields);
	const { plugin, model, backend, ...rest } = fields;
	const owner = plugin ?? backend ?? (typeof model === 'string' ? model : undefined);
	return [owner === undefined ? message : `${plain(owner)}: ${message}`, rest];
}

function describeRequest(fields: Record<string, unknown>): [text: string, rest: Record<string, unknown>] {
	const { req_id, method, route, status, dur_ms, tenant, principal, ...rest } = fields;
	const parts = [method, route, status, `${plain(dur_ms)} ms`, req_id, tenant];
	return [parts.filter((part) => part !== undefined).join(' '), rest];
}

/** The stack of an error and those of its causes. */
function errorLines(err: unknown): string[] {
	if (typeof err !== 'object' || err === null) return err === undefined ? [] : [plain(err)];
	const { type, message, stack, cause } = err as Record<string, unknown>;
	const own = String(stack ?? `${plain(type)}: ${plain(message)}`).split('\n');
	const [first = '', ...others] = cause === undefined ? [] : errorLines(cause);
	return [...own, ...(first === '' ? [] : [`caused by ${first}`, ...others])];
}

function plain(value: unknown): string {
	return typeof value === 'string' ? value : (JSON.stringify(value) ?? '');
}

/** Whatever a text brings, it cannot begin a line of its own or steer the terminal. */
function printable(text: string): string {
	return text.replace(/\p{Cc}/gu, ' ');
}
