import type { Logger } from '@plinth/core';
import { redact } from '@plinth/core';

/** A logger that prints only errors, on standard error. */
export const quietLogger: Logger = {
	debug: () => {},
	info: () => {},
	warn: () => {},
	error: (fields, message) => process.stderr.write(redact(`${message}: ${reason(fields)}\n`)),
	child: () => quietLogger,
};

function reason(fields: object): string {
	const { err } = fields as { err?: unknown };
	return err instanceof Error ? (err.stack ?? err.message) : JSON.stringify(fields);
}
