import { styleText } from 'node:util';

const levels = { 20: ['debug', 'dim'], 30: ['info', 'green'], 40: ['warn', 'yellow'], 50: ['error', 'red'] } as const;

/** The indent of text below a line, such as a stack. */
const indent = ' '.repeat(15);

/** The output of readable lines. */
interface Terminal {
	write(text: string): unknown;
	readonly isTTY?: boolean;
	hasColors?(): boolean;
}

/**
 * Returns a function that writes a JSON line of the log as readable text to `terminal`. Undefined when the log stays
 * JSON: with the format `json`, and with `auto` when the output is not a terminal.
 */
export function prettyLog(format: unknown, terminal: Terminal = process.stderr): ((line: string) => void) | undefined {
	if (format === 'json' || (format !== 'pretty' && !terminal.isTTY)) return undefined;
	const hasColors = terminal.hasColors?.() ?? false;
	return (line) => void terminal.write(prettyLine(line, hasColors));
}

/** Turns a JSON line of the log into a readable line: `12:01:02 info  POST /v1/videos 201 12 ms req_1 my-team`. */
function prettyLine(json: string, hasColors: boolean): string {
	const paint = (style: Parameters<typeof styleText>[0], text: string) =>
		hasColors && text !== '' ? styleText(style, text, { validateStream: false }) : text;
	const { level, time, msg, err, ...fields } = JSON.parse(json) as Record<string, unknown>;
	const [name, style] = levels[level as keyof typeof levels];
	const [text, rest] = describe(String(msg), fields);
	const details = Object.entries(rest).map(([key, value]) => `${key}=${plain(value)}`);
	const line = [
		paint('dim', new Date(Number(time)).toTimeString().slice(0, 8)),
		paint(style, name.padEnd(5)),
		printable(text),
		paint('dim', printable(details.join(' '))),
	];
	const stackLines = errorLines(err).map((row) => `${indent}${paint('dim', printable(row))}\n`);
	return `${line.filter(Boolean).join(' ')}\n${stackLines.join('')}`;
}

/** The text of a line, and the fields that the text does not contain. */
function describe(message: string, fields: Record<string, unknown>): [text: string, rest: Record<string, unknown>] {
	if (message === 'request' && typeof fields.route === 'string') {
		const { req_id, method, route, path = route, status, dur_ms, tenant, principal, ...rest } = fields;
		const parts = [method, path, status, `${plain(dur_ms)} ms`, req_id, tenant];
		return [parts.filter((part) => part !== undefined).join(' '), rest];
	}
	const { plugin, model, backend, ...rest } = fields;
	const owner = plugin ?? backend ?? (typeof model === 'string' ? model : undefined);
	return [owner === undefined ? message : `${plain(owner)}: ${message}`, rest];
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

/** Replaces control characters, so that logged text cannot start a new line or control the terminal. */
function printable(text: string): string {
	return text.replace(/\p{Cc}/gu, ' ');
}
