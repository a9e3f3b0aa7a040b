import { enableCompileCache } from 'node:module';
import { hideSqliteWarning } from './warnings.ts';

enableCompileCache();
hideSqliteWarning();
// `plinth openapi | head` closes the pipe early: that is no failure.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
	process.exit(error.code === 'EPIPE' ? 0 : 1);
});
// Loaded after the cache is on, so that everything below comes from it at the second start.
const { run } = await import('./program.ts');
await run(process.argv);
