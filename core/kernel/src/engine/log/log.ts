import { type Logger as Pino, pino } from 'pino';
import { redact } from '../../contract/errors/redact.ts';
import type { Logger } from '../../contract/ports/logger.ts';
import type { LogSettings } from '../../contract/server-settings.ts';
import { safeFields } from './log-fields.ts';

/** Logs JSON lines through pino, to standard error or to `write`. `safeFields` removes secrets and prompts. */
export function createLogger(level: LogSettings['level'], write?: (line: string) => void): Logger {
	const destination: Destination = write ? { write } : standardError();
	// `safeFields` has already serialized the errors.
	const log = adapt(pino({ level, base: null, serializers: { err: (err: unknown) => err } }, destination));
	destinations.set(log, destination);
	return log;
}

/** Settles when the lines logged so far are written, or cannot be; at once for a log not from `createLogger`. */
export async function flushLog(log: Logger): Promise<void> {
	await destinations.get(log)?.flush?.();
}

interface Destination {
	write(line: string): void;
	flush?(): Promise<void>;
}

const destinations = new WeakMap<Logger, Destination>();
/** One for all apps of the process, because its interval is never cleared. */
let shared: ReturnType<typeof pino.destination> | undefined;

/** How often a flush is repeated: each one writes or awaits one piece of the buffer, and there are at most four. */
const flushRounds = 4;

/** Buffered, because one write per line costs a busy server a tenth of its time. The exit writes the rest. */
function standardError(): Destination {
	shared ??= pino.destination({
		dest: 2,
		sync: false,
		minLength: 65_536,
		maxWrite: 131_072,
		periodicFlush: 100,
		contentMode: 'buffer',
	});
	const buffered = shared;
	return {
		// A Buffer, because for text the whole buffer is copied for each line. The types allow only text.
		write: (line) => void buffered.write(Buffer.from(line) as unknown as string),
		async flush() {
			for (let round = 0; round < flushRounds; round += 1) {
				// Errors are ignored: pipes cannot be synced, and may have no reader.
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
