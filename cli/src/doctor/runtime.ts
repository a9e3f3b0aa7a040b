import { availableParallelism, totalmem } from 'node:os';
import { arch, constrainedMemory, platform, report, versions } from 'node:process';
import { formatBytes } from '../format-bytes.ts';
import { isNewEnough, oldestNode } from '../node-version.ts';
import { type Finding, ok, problem, warning } from './finding.ts';

const gigabyte = 1024 ** 3;

/** Checks Node, cores, memory, open files, and the clock. */
export function checkRuntime(): readonly Finding[] {
	return [node(versions.node), memory(), openFiles(openFileLimit()), clock(Date.now())];
}

/** Whether this Node is new enough. */
export function node(version: string): Finding {
	const text = `Node ${version} on ${platform} ${arch}, ${availableParallelism()} cores`;
	if (isNewEnough(version)) return ok('runtime', text);
	return problem('runtime', text, `Install Node ${oldestNode} or newer.`);
}

function memory(): Finding {
	// 0 or a number above the total memory means no limit.
	const limit = constrainedMemory();
	const isLimited = limit > 0 && limit < totalmem();
	const usable = isLimited ? limit : totalmem();
	const limitNote = ` by the limit of this container, of ${formatBytes(totalmem())}`;
	const text = `${formatBytes(usable)}${isLimited ? limitNote : ''}`;
	if (usable >= gigabyte) return ok('memory', text);
	return warning('memory', text, 'Give it 1 GB or more: pictures and videos are worked on in memory.');
}

/** Checks the limit of open files and sockets. Undefined when the system reports none. */
export function openFiles(limit: number | undefined): Finding {
	if (limit === undefined) return ok('open files', 'this system does not say how many are allowed');
	const shown = limit === Number.POSITIVE_INFINITY ? 'any number' : String(limit);
	if (limit >= 4_096) return ok('open files', `${shown} allowed`);
	return warning(
		'open files',
		`${shown} allowed; each connection and each upload takes one`,
		'Raise the limit to 4096 or more: ulimit -n 65536, or LimitNOFILE= in a systemd unit.',
	);
}

/** Node has no API for it, so the limit is read from the diagnostic report. */
function openFileLimit(): number | undefined {
	// Otherwise the report looks up a name for each address, which may take seconds. Node's types lack this option.
	Object.assign(report, { excludeNetwork: true });
	const { userLimits } = report.getReport() as { userLimits?: Record<string, { soft?: unknown }> };
	const soft = userLimits?.open_files?.soft;
	return soft === 'unlimited' ? Number.POSITIVE_INFINITY : Number(soft) || undefined;
}

/** Checks that the clock was set: otherwise nothing would expire. */
export function clock(now: number): Finding {
	const text = new Date(now).toISOString();
	if (now >= Date.UTC(2026, 0)) return ok('clock', text);
	return problem('clock', `${text} is in the past`, 'Set the clock, best by NTP.');
}
