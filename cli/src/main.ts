#!/usr/bin/env node
// This file and its static imports must parse on old versions of Node.
import { isNewEnough, oldestNode } from './node-version.ts';

const { node } = process.versions;
if (isNewEnough(node)) await import('./start.ts');
else {
	process.stderr.write(
		`Plinth needs Node ${oldestNode} or later; this is ${node}, ${process.execPath}. ` +
			'Install a later one, or put it first in PATH.\n',
	);
	process.exitCode = 1;
}
