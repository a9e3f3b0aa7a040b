import type { Logger } from '@plinth/core';

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
