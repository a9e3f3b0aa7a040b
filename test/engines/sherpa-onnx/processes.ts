import { readdirSync, readFileSync } from 'node:fs';

/** The ids of the engine processes that a process has started and that still run. Linux only. */
export function childrenOf(parent: number): readonly number[] {
	return readdirSync('/proc')
		.filter((name) => /^\d+$/.test(name))
		.map(Number)
		.filter((pid) => {
			const stat = read(`/proc/${pid}/stat`);
			// The program name may contain spaces. The state and the parent follow its closing parenthesis.
			const [state, ppid] = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
			return state !== 'Z' && Number(ppid) === parent && read(`/proc/${pid}/cmdline`).includes('sherpa-onnx');
		});
}

/** The resident memory of a process in bytes. */
export function residentBytes(pid: number): number {
	const [, kilobytes = '0'] = /VmRSS:\s+(\d+)/.exec(read(`/proc/${pid}/status`)) ?? [];
	return Number(kilobytes) * 1_024;
}

function read(path: string): string {
	try {
		return readFileSync(path, 'utf8');
	} catch {
		return '';
	}
}
