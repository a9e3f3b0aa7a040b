import type { Logger } from '../ports/logger.ts';

/** A logger that writes nothing. */
export function silentLogger(): Logger {
	const nothing = (): void => {};
	const logger: Logger = {
		debug: nothing,
		info: nothing,
		warn: nothing,
		error: nothing,
		child: () => logger,
	};
	return logger;
}
