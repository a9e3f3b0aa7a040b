import { registerHooks } from 'node:module';
import { fileURLToPath } from 'node:url';

/** The message that the server sends to `plinth dev` when it has imported a local file. */
export interface ImportedFile {
	readonly imported: string;
}

/** Settings for a quick stop, because `plinth dev` waits for it before each restart. In milliseconds. */
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
