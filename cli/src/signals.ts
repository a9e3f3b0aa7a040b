import type { App } from '@plinth/core';

/** Milliseconds after a signal after which the process exits in any case. */
const exitMs = 18_000;

/** The first signal drains and exits 0; the second exits at once. */
export function stopOnSignals(app: App): void {
	let isStopping = false;
	const stop = (signal: NodeJS.Signals) => {
		if (isStopping) process.exit(1);
		isStopping = true;
		process.stderr.write(`${signal}: finishing running work; send it again to quit at once\n`);
		setTimeout(() => process.exit(1), exitMs).unref();
		app.stop().then(
			() => process.exit(0),
			(error: unknown) => {
				process.stderr.write(`the stop failed: ${String(error)}\n`);
				process.exit(1);
			},
		);
	};
	process.on('SIGTERM', stop);
	process.on('SIGINT', stop);
}
