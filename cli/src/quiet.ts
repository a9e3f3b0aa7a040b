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

/** A warning that a part logs while it starts. */
export interface StartWarning {
	readonly text: string;
	readonly remedy: string;
}

/** A quiet logger that collects the warnings that have a remedy. */
export function warningLogger(): { readonly log: Logger; readonly warnings: readonly StartWarning[] } {
	const warnings: StartWarning[] = [];
	const log: Logger = {
		...quietLogger,
		warn(fields, message) {
			const { remedy, ...facts } = fields as Record<string, unknown>;
			const details = Object.entries(facts).map(([name, value]) => `${name} ${value}`);
			if (typeof remedy === 'string') warnings.push({ text: redact([message, ...details].join(', ')), remedy });
		},
		child: () => log,
	};
	return { log, warnings };
}

function reason(fields: object): string {
	const { err } = fields as { err?: unknown };
	return err instanceof Error ? (err.stack ?? err.message) : JSON.stringify(fields);
}
