import { redact } from '../../contract/errors/redact.ts';

/** One reason why a deployment cannot start. */
export interface BootProblem {
	readonly code: keyof typeof bootErrors;
	/** The part that has the problem: `plugin video`, `backend jobs`, `model clip-1`, `config`. */
	readonly owner: string;
	/** Its path in the config: `plugins.video.with.retentionHours`. */
	readonly path: string;
	readonly message: string;
	readonly remedy: string;
}

/** The part that has the problem, and the config path. */
export type ProblemPlace = Pick<BootProblem, 'owner' | 'path'>;

/** The problems of a deployment, each with its default remedy. */
export const bootErrors = {
	E_CONFIG_FILE: 'Name a config file that exists and can be loaded.',
	E_CONFIG_SHAPE: 'Correct the entry of the config that the report names under `at`.',
	E_CONFIG_ENV: 'Set the variable, or give a default: ${NAME:-default}.',
	E_CONFIG_NAME: 'Install the package beside the config file and check the spelling of package and export.',
	E_CONFIG_LOAD: 'The package was found, but failed to load. Install or fix what the message names.',
	E_OPTIONS_INVALID: 'Correct the option that the report names under `at`.',
	E_SERVICE_MISSING: 'Add a backend or plugin that provides it.',
	E_SERVICE_DUPLICATE: 'Remove one of them.',
	E_SERVICE_CYCLE: 'Remove one of the needs in the cycle.',
	E_MODEL_UNUSED: 'Add the plugin that consumes this kind of model, or remove the model.',
	E_MODEL_DUPLICATE: 'Give each model its own id and aliases.',
	E_MODEL_KIND: 'Declare the kind in the plugin: models: [theKind].',
	E_ROUTE_DUPLICATE: 'Remove or rename one of the two routes.',
	E_ROUTE_SCOPE: "Set its scope: a name such as 'things:read', 'authenticated', or 'public'.",
	E_ROUTE_PATH: 'Write paths as /segment/{parameter}, with a params schema that names each parameter.',
	E_JOB_KIND: 'Declare each kind in one plugin, in lower-case letters: jobs: [...].',
	E_DEFINITION: 'Complete what was passed to definePlugin, defineBackend, defineModel or defineRoute.',
	E_MODEL_SHAPE: 'Correct what the create function of the model returns.',
	E_API_VERSION: 'Install releases of core and of this package that belong together.',
	E_CORE_COPY:
		'Make @plinth/core a peer dependency of the package, and install plinth beside it. ' +
		'`npm ls @plinth/core` shows all copies, `npm dedupe` joins equal ones.',
	E_AUTH_OFF: 'Bind to 127.0.0.1, or add an authenticator.',
	E_STEP_FAILED: 'Remove the cause that the message names, then start the server again.',
	E_STEP_TIMEOUT: 'Raise server.stepTimeoutMs, or fix what the part waits for.',
} as const;

/** Creates a problem with a remedy, by default that of its code. Known secrets in the message are replaced. */
export function bootProblem(
	code: keyof typeof bootErrors,
	{ owner, path }: ProblemPlace,
	message: string,
	remedy: string = bootErrors[code],
): BootProblem {
	return { code, owner, path, message: redact(message), remedy };
}

/** All problems that prevent the start of a deployment, in one report. */
export class BootError extends Error {
	readonly $kind = 'plinth.bootError';
	readonly code = 'E_BOOT';
	readonly problems: readonly BootProblem[];

	constructor(problems: readonly BootProblem[], options: { file?: string | undefined; cause?: unknown } = {}) {
		super(report(problems, options.file), { cause: options.cause });
		this.name = 'BootError';
		this.problems = problems;
	}
}

function report(problems: readonly BootProblem[], file: string | undefined): string {
	const count = problems.length === 1 ? 'one problem' : `${problems.length} problems`;
	const lines = problems.map(({ code, owner, path, message, remedy }, index) => {
		const rows = [`at      ${path}`, `remedy  ${remedy}`, `code    ${code}`];
		return [`  ${index + 1}. ${owner}: ${message}`, ...rows.map((row) => `     ${row}`)].join('\n');
	});
	return `Plinth cannot start: ${count}${file ? ` in ${file}` : ''}.\n\n${lines.join('\n\n')}`;
}
