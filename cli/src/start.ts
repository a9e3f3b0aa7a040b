import { enableCompileCache } from 'node:module';
import { setFlagsFromString } from 'node:v8';
import { hideSqliteWarning } from './warnings.ts';

enableCompileCache();
// The flag of main.ts has done its work. It would override the smaller limits of worker threads that start later.
setFlagsFromString('--max-semi-space-size=0');
hideSqliteWarning();
// `plinth openapi | head` closes the pipe early, which is not a failure.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
	process.exit(error.code === 'EPIPE' ? 0 : 1);
});
// Imported after the compile cache is enabled, so that the modules below use it.
const { run } = await import('./program.ts');
await run(process.argv);
