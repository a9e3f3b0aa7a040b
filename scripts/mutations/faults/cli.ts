import type { Fault } from '../fault.ts';

const doctor = ['cli/test/doctor-checks.test.ts'];
const copy = ['cli/test/copy.test.ts'];

/** Faults of the `plinth` commands. */
export const cliFaults: readonly Fault[] = [
	{
		what: 'doctor accepts a full disk',
		file: 'cli/src/doctor/disks.ts',
		find: 'if (free < freeSpaceLimits.problem) return problem(check, text, remedy);',
		replace: '',
		tests: doctor,
	},
	{
		what: 'doctor does not detect data that the group can read',
		file: 'cli/src/doctor/disks.ts',
		find: '(mode & 0o077)',
		replace: '(mode & 0o007)',
		tests: doctor,
	},
	{
		what: 'doctor does not detect that the clock was set back',
		file: 'cli/src/doctor/permissions.ts',
		find: 'if (newest <= now + 60_000) return [];',
		replace: 'if (newest > 0) return [];',
		tests: doctor,
	},
	{
		what: 'doctor accepts links that other machines cannot open',
		file: 'cli/src/doctor/network.ts',
		find: '/^(?:localhost|::1|127\\.)/.test(host)',
		replace: "host !== ''",
		tests: doctor,
	},
	{
		what: 'a copy trusts the size of a blob',
		file: 'cli/src/copy/blobs.ts',
		find: "storedHash.digest('hex') === sha256",
		replace: "sha256 !== ''",
		tests: copy,
	},
	{
		what: 'a copy starts while a server runs',
		file: 'cli/src/copy/stores.ts',
		find: "if (await jobs.lead('core.housekeeping', 'plinth copy', 0)) return;",
		replace: 'if (jobs) return;',
		tests: copy,
	},
	{
		what: 'a copy accepts the same store as source and target',
		file: 'cli/src/copy/stores.ts',
		find: 'if (shared.length === 0) return;',
		replace: 'if (shared) return;',
		tests: copy,
	},
	{
		what: 'a copy is added to blobs of another store',
		file: 'cli/src/copy/stores.ts',
		find: "!(await areBlobsFromSource(from, to)) && 'blobs',",
		replace: '',
		tests: copy,
	},
	{
		what: 'a copy accepts a target that has more data',
		file: 'cli/src/commands/copy.ts',
		find: 'if (different.length === 0) return;',
		replace: 'if (different) return;',
		tests: copy,
	},
	{
		what: 'a load of a copy ignores existing rows with other content',
		file: 'core/kernel/src/contract/jobs/dump.ts',
		find: 'if (existing === undefined || isDeepStrictEqual(existing, item)) return',
		replace: 'if (existing !== null) return',
		tests: ['adapters/memory/test/memory.test.ts'],
	},
];
