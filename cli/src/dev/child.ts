import { registerHooks } from 'node:module';
import { fileURLToPath } from 'node:url';

/** A message of the server to `plinth dev`: a local file that the server has imported. */
export interface ImportedFile {
	readonly imported: string;
}

/** Settings of a server that restarts often: the next one is awaited. In milliseconds. */
export const quickStop = { drainDelayMs: 0, graceMs: 1_000 };

/** Sends the path of every module outside of `node_modules` that is imported from now on to the parent process. */
export function reportImports(): void {
	registerHooks({
		load(url, context, next) {
			if (url.startsWith('file:') && !url.includes('/node_modules/')) {
				process.send?.({ imported: fileURLToPath(url) } satisfies ImportedFile);
			}
			return next(url, context);
		},
	});
	process.once('disconnect', () => process.exit());
}
