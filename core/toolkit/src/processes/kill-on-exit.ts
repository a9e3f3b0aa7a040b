import type { ChildProcess } from 'node:child_process';

/** The running children. */
const children = new Set<ChildProcess>();

/** Kills a child when this process exits. Without this, the child ends a moment later, when its stdin closes. */
export function killOnExit(child: ChildProcess): void {
	if (children.size === 0) process.on('exit', killAll);
	children.add(child);
	const remove = () => {
		children.delete(child);
		if (children.size === 0) process.off('exit', killAll);
	};
	// `error` replaces `exit` when the process could not be started.
	child.once('exit', remove).once('error', remove);
}

function killAll(): void {
	for (const child of children) child.kill('SIGKILL');
}
