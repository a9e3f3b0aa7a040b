import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { defineConfig, type TestProjectInlineConfiguration } from 'vitest/config';

// Where `plinth` keeps it too. The processes that tests start inherit it: compiling our sources is most of what a
// start takes.
process.env.NODE_COMPILE_CACHE ??= join(tmpdir(), 'node-compile-cache');

// What a client of the server waits for is measured by the clock here, so nothing else runs meanwhile.
const undisturbed = 'test/system/{chat,event}-streams.test.ts';
const undisturbedMedia = 'test/media/{documents,images}-hostile.test.ts';
// llama.cpp keeps all cores busy, and slows down when it has to share them.
const undisturbedEngines = [
	'test/engines/cluster/{clocks,shares}.test.ts',
	'test/engines/deploy/rolling.test.ts',
	'test/engines/llama-cpp{,-faults}.test.ts',
];

// Most of these files wait for processes, disks and sockets for a part of their time.
const patient = '150%';

const conditions = ['@plinth/source', 'node', 'development|production'];

// Processes are killed at random moments, in many rounds.
const engineKills = [
	'test/engines/{cluster,s3}/kills.test.ts',
	'test/engines/{copy,cluster/sdk,deploy/compose,sherpa-onnx/host-kills}.test.ts',
];

/**
 * Whole programs, adapters beside the programs they call, every snippet of the pages compiled, and large files: what
 * takes a while, and needs nothing but npm packages.
 */
const lengthy = [
	'adapters/{ai-sdk,builtin,comfyui,command,documents,openai,s3,sharp}/test/**/*conformance.test.ts',
	'adapters/audio/test/{decoding,formats}.test.ts',
	'adapters/builtin/test/{image,speech,video}/model.test.ts',
	'adapters/builtin/test/chat/schemas.test.ts',
	'adapters/builtin/test/{threads,scene/scene}.test.ts',
	'adapters/comfyui/test/{output,work}.test.ts',
	'adapters/command/test/{chat,failures,image,processes,speech,transcription,video}.test.ts',
	'adapters/documents/test/{pool,pdf-long}.test.ts',
	'adapters/documents/test/formats/{ooxml/{growth,hostile},odf/odt}.test.ts',
	'adapters/sharp/test/{bombs,heavy,refusing}.test.ts',
	'adapters/s3/test/{faults,uploads}.test.ts',
	'adapters/sqlite/test/{model,processes}.test.ts',
	'core/kernel/test/http/answers/{base64,pooled}.test.ts',
	'core/kernel/test/http/bodies/{json,json-files}.test.ts',
	'core/toolkit/test/processes/{child,pool}.test.ts',
	'cli/test/{copy,demo,dev,doctor,elsewhere,keys-command,models-pull,parse,processes,serve,start,worker}.test.ts',
	'plugins/*/test/testing.test.ts',
	'plugins/speech/test/formats.test.ts',
	'test/clients/{chat,images,parse,transcription}.test.ts',
	'test/e2e/{chat,content,lifecycle,parse,polyglots,ranges,readme,s3,speech,webhooks,webhook-targets}.test.ts',
	'examples/*/test/*.test.ts',
	'test/reference/{snippets,typed}.test.ts',
];

/** Runs for minutes, whatever it runs on. */
const churn = 'test/engines/cluster/churn.test.ts';

/** One file at a time, behind all other projects of the run. */
const alone = { maxWorkers: 1, sequence: { groupOrder: 1 } };

/** The time limit of a test in milliseconds, for files whose hooks start processes. */
const within = (testTimeout: number) => ({ testTimeout, hookTimeout: 60_000 });

type Project = TestProjectInlineConfiguration;

function project(name: string, options: Project['test']): Project {
	return { extends: true, test: { name, ...options } };
}

export default defineConfig({
	resolve: { conditions },
	ssr: { resolve: { conditions, externalConditions: ['@plinth/source', 'node'] } },
	test: {
		// One worker a core, where vitest would leave one core free.
		maxWorkers: '100%',
		// No test replaces modules, so the files of a worker share them: loading them again for each file would take a
		// quarter of the time.
		isolate: false,
		// Node loads our sources as it does for users. No test needs what Vite would make of them, and it takes longer.
		experimental: { viteModuleRunner: false, nodeLoader: false },
		execArgv: ['--conditions=@plinth/source'],
		setupFiles: [join(import.meta.dirname, 'test/support/property-seed.ts')],
		projects: [
			project('unit', {
				include: ['{core/*,plugins/*,adapters/*,cli,cli/create-plinth}/test/**/*.test.ts'],
				exclude: lengthy,
				maxWorkers: patient,
			}),
			project('e2e', {
				include: ['test/*.test.ts', 'test/{e2e,clients,reference}/**/*.test.ts', 'examples/*/test/**/*.test.ts'],
				exclude: lengthy,
				maxWorkers: patient,
				testTimeout: 60_000,
			}),
			// What would make `npm test` longer than its two minutes.
			project('lengthy', { include: lengthy, maxWorkers: patient, ...within(60_000) }),
			project('system', { include: ['test/system/**/*.test.ts'], exclude: [undisturbed], ...within(300_000) }),
			project('undisturbed', { include: [undisturbed], ...alone, ...within(300_000) }),
			// Large pictures, documents and recordings, and what real programs make of ours.
			project('media', { include: ['test/media/*.test.ts'], exclude: [undisturbedMedia], ...within(300_000) }),
			project('media-undisturbed', { include: [undisturbedMedia], ...alone, ...within(300_000) }),
			project('kills', { include: ['test/kills/*.test.ts'], ...within(300_000) }),
			// With engines that operators install. The packages of the engines are installed apart.
			project('engine-kills', { include: engineKills, ...within(120_000) }),
			project('engines', {
				include: ['test/engines/**/*.test.ts'],
				exclude: ['test/engines/node_modules/**', churn, ...engineKills, ...undisturbedEngines],
				...within(120_000),
			}),
			project('engines-undisturbed', { include: undisturbedEngines, ...alone, ...within(120_000) }),
			// Packages as they are published, outside the workspace, which must have been built; and clients, whose packages
			// are installed apart.
			project('packages', {
				include: ['test/{packages,other-clients}/*.test.ts'],
				globalSetup: ['test/packages/support/prepare.ts'],
				maxWorkers: patient,
				...within(60_000),
			}),
			// In Debian's Chromium, against real servers; what drives it is installed apart. One file at a time: they measure
			// what a user waits for.
			project('browser', {
				include: ['test/browser/**/*.test.ts'],
				exclude: ['test/browser/node_modules/**'],
				maxWorkers: 1,
				...within(60_000),
			}),
			// Files of the projects above with their full numbers of rounds, and what runs for minutes in any case.
			project('long', {
				include: [
					'test/system/{comfyui-disconnects,drain,fuzz}.test.ts',
					'test/kills/{comfyui-kills,kills,webhook-kills}.test.ts',
					'test/engines/{cluster,s3}/kills.test.ts',
					churn,
				],
				...within(7_200_000),
				env: { PLINTH_TEST_LONG: '1' },
			}),
		],
		coverage: { provider: 'v8', include: ['{core/*,plugins/*,adapters/*,cli}/src/**'] },
	},
});
