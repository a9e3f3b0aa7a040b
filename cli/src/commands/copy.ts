import { claimBlobs, isPlinthError, type JobDump } from '@plinth/core';
import { copyBlobs, tallyOfBlobs } from '../copy/blobs.ts';
import { copyRows, tallyOfRows } from '../copy/rows.ts';
import { checkApart, checkContents, checkStopped, openStores, type Stores } from '../copy/stores.ts';
import { formatBytes } from '../format-bytes.ts';
import { table } from '../table.ts';
import { UserError } from '../user-error.ts';

/** The flags of `plinth copy`: two config files. */
export interface CopyFlags {
	readonly from: string;
	readonly to: string;
}

/**
 * Copies jobs with their events, records and blobs from the backends of one config to those of another. Keeps what an
 * earlier run has written to the target, so that a copy that was killed can be resumed. Compares both sides at the end.
 */
export async function copy(flags: CopyFlags): Promise<void> {
	const from = await openStores(flags.from);
	try {
		const to = await openStores(flags.to);
		try {
			checkApart(from, to);
			await copyStores(from, to);
		} finally {
			await to.close();
		}
	} catch (error) {
		throw withRemedy(error, flags);
	} finally {
		await from.close();
	}
}

async function copyStores(from: Stores, to: Stores): Promise<void> {
	const checkBothStopped = () => Promise.all([from, to].map(checkStopped));
	await checkBothStopped();
	await checkContents(from, to);
	const first = await firstOf(from.jobs.dump());
	// These two writes mark the target as a copy of this source, before it contains anything else.
	await claimBlobs(from.jobs, to.blobs);
	await to.jobs.load([first]);
	const expected = { ...(await copyRows(from, to)), blobs: await copyBlobs(from.blobs, to.blobs) };
	await checkBothStopped();
	if (first.type === 'store' && (await from.jobs.head()) !== first.head) {
		throw new UserError(
			`${from.file} has new events: a server used it during the copy. Stop the server and copy to an empty target.`,
		);
	}
	const actual = { ...(await tallyOfRows(to)), blobs: await tallyOfBlobs(to.blobs) };
	const names = ['records', 'jobs', 'events', 'blobs'] as const;
	const rows = names.map((name) => ({
		'': name,
		[from.file]: `${expected[name].count}, ${formatBytes(expected[name].bytes)}`,
		[to.file]: `${actual[name].count}, ${formatBytes(actual[name].bytes)}`,
		compared: expected[name].equals(actual[name]) ? 'equal' : 'different',
	}));
	process.stdout.write(table(rows));
	const different = names.filter((name) => !expected[name].equals(actual[name]));
	if (different.length === 0) return;
	throw new UserError(
		`${to.file} has other ${different.join(', ')} than ${from.file}. Empty the target and run the same command again.`,
	);
}

async function firstOf(dump: AsyncIterable<JobDump>): Promise<JobDump> {
	for await (const part of dump) return part;
	throw new Error('The dump is empty.');
}

/** Turns an error of a store into a `UserError` with a remedy. */
function withRemedy(error: unknown, { from, to }: CopyFlags): unknown {
	if (!isPlinthError(error)) return error;
	const { code, message, cause } = error;
	const reason = cause instanceof Error ? ` (${cause.message})` : '';
	const remedies: Readonly<Record<string, string>> = {
		E_STORE_FULL: `Make room for ${to} and run the same command again: it continues the copy.`,
		E_STORE_DIFFERS: `${to} was changed after the copy started. Empty it and run the same command again.`,
	};
	const remedy = remedies[code] ?? `Check the stores of ${from} and ${to}, and run the command again: it continues.`;
	return new UserError(`${code}: ${message}${reason}\n${remedy}`, { cause: error });
}
