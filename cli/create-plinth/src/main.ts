#!/usr/bin/env node
// This file must parse on old versions of Node, so it has no static import.
const { node } = process.versions;
const [major = 0, minor = 0] = node.split('.').map(Number);
if (major > 22 || (major === 22 && minor >= 19)) {
	await import('./start.ts');
} else {
	process.stderr.write(
		`create-plinth needs Node 22.19 or later; this is ${node}, ${process.execPath}. ` +
			'Install a later one, or put it first in PATH.\n',
	);
	process.exitCode = 1;
}

export {};
