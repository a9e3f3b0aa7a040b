import type { ChildProcess } from 'node:child_process';

/** The children that there are now. */
const children = new Set<ChildProcess>();

/** Ends a child together with this process. It would end by itself when its stdin does, but only a moment later. */
export function killOnExit(child: ChildProcess): void {
	if (children.size === 0) process.on('exit', killAll);
	children.add(child);
	const remove = () => {
		children.delete(child);
		if (children.size === 0) process.off('exit', killAll);
	};
	// `error` comes instead of `exit` where no process could be made.
	child.once('exit', remove).once('error', remove);
}

function killAll(): void {
	for (const child of children) child.kill('SIGKILL');
}
