#!/usr/bin/env node
import { enableCompileCache } from 'node:module';

enableCompileCache();
// Loaded after the cache is on, so that everything below comes from it at the second start.
const { run } = await import('./program.ts');
await run(process.argv);
