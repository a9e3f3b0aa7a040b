import type { Logger } from '@plinth/core';

/** For commands whose output is their result: only errors are worth a line, on standard error. */
export const quietLogger: Logger = {
	debug: () => {},
	info: () => {},
	warn: () => {},
	error: (fields, message) => process.stderr.write(`${message} ${JSON.stringify(fields)}\n`),
	child: () => quietLogger,
};
