import type { Fault } from '../fault.ts';

const doctor = ['cli/test/doctor-checks.test.ts'];

/** What `plinth` says of a deployment. */
export const cliFaults: readonly Fault[] = [
	{
		what: 'doctor is content with a full disk',
		file: 'cli/src/doctor/disks.ts',
		find: 'if (free < freeSpaceLimits.problem) return problem(check, text, remedy);',
		replace: '',
		tests: doctor,
	},
	{
		what: 'doctor does not see data that the group can read',
		file: 'cli/src/doctor/disks.ts',
		find: '(mode & 0o077)',
		replace: '(mode & 0o007)',
		tests: doctor,
	},
	{
		what: 'doctor does not see that the clock was turned back',
		file: 'cli/src/doctor/permissions.ts',
		find: 'if (newest <= now + 60_000) return [];',
		replace: 'if (newest > 0) return [];',
		tests: doctor,
	},
	{
		what: 'doctor is content with links that nobody else can follow',
		file: 'cli/src/doctor/network.ts',
		find: '/^(?:localhost|::1|127\\.)/.test(host)',
		replace: "host !== ''",
		tests: doctor,
	},
];
