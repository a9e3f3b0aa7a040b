import { type Logger as Pino, pino } from 'pino';
import { redact } from '../../contract/errors/redact.ts';
import type { Logger } from '../../contract/ports/logger.ts';
import type { LogSettings } from '../config/shape.ts';
import { safeFields } from './log-fields.ts';
import { prettyLine } from './log-pretty.ts';

/** Where lines go. */
export interface LogOutput {
	write(text: string): unknown;
	readonly isTTY?: boolean;
	hasColors?(): boolean;
}

/**
 * Logs through pino, to standard error unless `output` is given: JSON lines, or one short line each for people.
 * Secrets and prompts are blanked in all fields: see `safeFields`.
 */
export function createLogger({ level, format }: LogSettings, output?: LogOutput): Logger {
	const terminal: LogOutput = output ?? process.stderr;
	const isPretty = format === 'pretty' || (format === 'auto' && terminal.isTTY === true);
	const hasColors = terminal.hasColors?.() ?? false;
	let destination: Destination;
	if (isPretty) destination = { write: (line) => void terminal.write(prettyLine(line, hasColors)) };
	else if (output) destination = { write: (line) => void output.write(line) };
	else destination = standardError();
	// What pino would do to errors has been done by safeFields.
	const log = adapt(pino({ level, base: null, serializers: { err: (err: unknown) => err } }, destination));
	destinations.set(log, destination);
	return log;
}

/** Settles when the lines of `createLogger`'s log so far are written, or cannot be; for any other log, at once. */
export async function flushLog(log: Logger): Promise<void> {
	await destinations.get(log)?.flush?.();
}

interface Destination {
	write(line: string): void;
	flush?(): Promise<void>;
}

/** Where the lines of a log go; a log that the host has brought is not here. */
const destinations = new WeakMap<Logger, Destination>();

/** One flush writes one piece of the buffered lines, or waits for the piece under way. There are never more. */
const flushRounds = 4;

/** Buffered: one write per line would cost a busy server a tenth of its time. The rest is written at the exit. */
function standardError(): Destination {
	const buffered = pino.destination({
		dest: 2,
		sync: false,
		minLength: 65_536,
		maxWrite: 131_072,
		periodicFlush: 100,
		contentMode: 'buffer',
	});
	return {
		// As text, the whole buffer would be copied for each line. The types allow text only.
		write: (line) => void buffered.write(Buffer.from(line) as unknown as string),
		async flush() {
			for (let round = 0; round < flushRounds; round += 1) {
				// It fails on pipes, which cannot be synced, and when nothing reads them.
				await new Promise<void>((resolve) => buffered.flush(() => resolve()));
			}
		},
	};
}

function adapt(logger: Pino): Logger {
	const log = (level: 'debug' | 'info' | 'warn' | 'error') => (fields: object, message: string) => {
		if (logger.isLevelEnabled(level)) logger[level](safeFields(fields), redact(message));
	};
	return {
		debug: log('debug'),
		info: log('info'),
		warn: log('warn'),
		error: log('error'),
		child: (bindings) => adapt(logger.child(safeFields(bindings))),
	};
}
