#!/usr/bin/env node
// Versions of Node that are too old have to read this file and what it imports at once: nothing that they lack stands in there.
import { isNewEnough, oldestNode } from './node-version.ts';

const { node } = process.versions;
if (isNewEnough(node)) await import('./start.ts');
else {
	process.stderr.write(
		`Plinth needs Node ${oldestNode} or later; this is ${node}, ${process.execPath}. Install a later one, or put it first in PATH.\n`,
	);
	process.exitCode = 1;
}
