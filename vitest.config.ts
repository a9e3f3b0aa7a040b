import { defineConfig } from 'vitest/config';

const conditions = ['@plinth/source', 'module', 'node', 'development|production'];

export default defineConfig({
	resolve: { conditions },
	ssr: { resolve: { conditions, externalConditions: ['@plinth/source', 'node'] } },
	test: {
		// Most files wait for processes, disks and sockets: one worker a core, where vitest would leave one core free.
		maxWorkers: '100%',
		// No test replaces modules, so the files of a worker share them: loading them again for each file would take a quarter of the time.
		isolate: false,
		execArgv: ['--conditions=@plinth/source'],
		projects: [
			{
				extends: true,
				test: { name: 'unit', include: ['{core,plugins/*,adapters/*,cli}/test/**/*.test.ts'] },
			},
			{
				extends: true,
				test: {
					name: 'e2e',
					include: [
						'test/*.test.ts',
						'test/{e2e,clients}/**/*.test.ts',
						'examples/*/test/**/*.test.ts',
					],
					testTimeout: 60_000,
				},
			},
			{
				extends: true,
				test: { name: 'system', include: ['test/system/**/*.test.ts'], testTimeout: 300_000 },
			},
			{
				// The same files as in `system`, with their full numbers of rounds.
				extends: true,
				test: {
					name: 'long',
					include: ['test/system/{drain,fuzz,kills}.test.ts'],
					testTimeout: 7_200_000,
					env: { PLINTH_TEST_LONG: '1' },
				},
			},
		],
		coverage: { provider: 'v8', include: ['{core,plugins/*,adapters/*,cli}/src/**'] },
	},
});
