import { type LoggerOptions, type Logger as Pino, pino } from 'pino';
import type { Logger } from '../ports/logger.ts';

const secrets = ['authorization', 'x-api-key', 'key', 'apiKey', 'secret', 'password'];

/** JSON lines on standard error through pino. Fields whose name promises a secret are blanked. */
export function createLogger(level: string): Logger {
	const options: LoggerOptions = {
		level,
		redact: { paths: secrets.flatMap((name) => [name, `*["${name}"]`]), censor: '[redacted]' },
		serializers: { err: pino.stdSerializers.err },
		base: null,
	};
	return adapt(pino(options, pino.destination({ dest: 2, sync: false })));
}

function adapt(logger: Pino): Logger {
	return {
		debug: (fields, message) => logger.debug(fields, message),
		info: (fields, message) => logger.info(fields, message),
		warn: (fields, message) => logger.warn(fields, message),
		error: (fields, message) => logger.error(fields, message),
		child: (bindings) => adapt(logger.child(bindings)),
	};
}
