import { enableCompileCache } from 'node:module';
import { setFlagsFromString } from 'node:v8';
import { resolveOwnModules } from './own-modules.ts';
import { hideSqliteWarning } from './warnings.ts';

enableCompileCache();
resolveOwnModules(import.meta.url);
// Reset the V8 flags of main.ts, which have taken effect: they would override the smaller limits of worker threads.
setFlagsFromString('--max-semi-space-size=0');
setFlagsFromString('--min-semi-space-size=0');
hideSqliteWarning();
// `plinth openapi | head` closes the pipe early, which is not a failure.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
	process.exit(error.code === 'EPIPE' ? 0 : 1);
});
// Imported last, so that the modules below use the compile cache and the faster resolution.
const { run } = await import('./program.ts');
await run(process.argv);
