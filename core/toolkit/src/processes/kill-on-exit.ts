import type { ChildProcess } from 'node:child_process';

/** The children that there are now. */
const living = new Set<ChildProcess>();

/** Ends a child together with this process. It would end by itself when its stdin does, but only a moment later. */
export function killOnExit(child: ChildProcess): void {
	if (living.size === 0) process.on('exit', killAll);
	living.add(child);
	const gone = () => {
		living.delete(child);
		if (living.size === 0) process.off('exit', killAll);
	};
	// `error` comes instead of `exit` where no process could be made.
	child.once('exit', gone).once('error', gone);
}

function killAll(): void {
	for (const child of living) child.kill('SIGKILL');
}
