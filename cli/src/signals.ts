import type { App } from '@plinth/core';

/** After the first signal, the process ends within this time, in milliseconds, also when the stop hangs. */
export const exitTimeoutMs = 18_000;

/** The part of `process` that is used here. */
export interface SignalTarget {
	on(signal: 'SIGTERM' | 'SIGINT', listener: (signal: NodeJS.Signals) => void): unknown;
	exit(code: number): unknown;
	readonly stderr: { write(text: string): unknown };
}

/**
 * Stops the app at the first SIGTERM or SIGINT and then exits 0; exits 1 when the stop fails or takes longer than
 * {@link exitTimeoutMs}, and at once at a second signal.
 */
export function stopOnSignals(app: Pick<App, 'stop'>, target: SignalTarget = process): void {
	let isStopping = false;
	const stop = (signal: NodeJS.Signals) => {
		if (isStopping) return void target.exit(1);
		isStopping = true;
		target.stderr.write(`${signal}: finishing running work; send it again to quit at once\n`);
		setTimeout(() => target.exit(1), exitTimeoutMs).unref();
		app.stop().then(
			() => target.exit(0),
			(error: unknown) => {
				target.stderr.write(`the stop failed: ${String(error)}\n`);
				target.exit(1);
			},
		);
	};
	target.on('SIGTERM', stop);
	target.on('SIGINT', stop);
}
