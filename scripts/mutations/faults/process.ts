import type { Fault } from '../fault.ts';

const signals = ['cli/test/signals.test.ts'];

/** Faults of process shutdown. */
export const processFaults: readonly Fault[] = [
	{
		what: 'a second signal is ignored',
		file: 'cli/src/signals.ts',
		find: 'if (isStopping) return void target.exit(1);',
		replace: 'if (isStopping) return;',
		tests: signals,
	},
	{
		what: 'a hanging stop has no time limit',
		file: 'cli/src/signals.ts',
		find: 'setTimeout(() => target.exit(1), exitTimeoutMs).unref();',
		replace: '',
		tests: signals,
	},
	{
		what: 'exit 0 after a failed stop',
		file: 'cli/src/signals.ts',
		find: '${String(error)}\\n`);\n\t\t\t\ttarget.exit(1);',
		replace: '${String(error)}\\n`);\n\t\t\t\ttarget.exit(0);',
		tests: signals,
	},
	{
		what: 'a SIGINT does not stop the process',
		file: 'cli/src/signals.ts',
		find: "target.on('SIGINT', stop);",
		replace: '',
		tests: signals,
	},
	{
		what: 'an uncaught exception does not end the process',
		file: 'cli/src/program.ts',
		find: '\\n`);\n\t\tprocess.exit(1);',
		replace: '\\n`);',
		tests: ['cli/test/uncaught.test.ts'],
	},
];
