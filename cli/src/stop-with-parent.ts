import type { App } from '@plinth/core';

/** Stops the app when the parent process sends SIGTERM. Ignores SIGINT: a terminal also sends it to the parent. */
export function stopWithParent(app: Pick<App, 'stop'>): void {
	process.on('SIGINT', () => {});
	process.once('SIGTERM', () => {
		app.stop().then(
			() => process.exit(0),
			(error: unknown) => {
				process.stderr.write(`the stop failed: ${String(error)}\n`);
				process.exit(1);
			},
		);
	});
}
