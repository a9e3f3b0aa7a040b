/** Messages of the boot report with their causes and cures. Without a cure, it is the remedy of the error table. */
export type BootCause = readonly [symptom: string, cause: string, cure?: string];

const correctOption =
	'Correct the option at the place that the report names under `at`. ' +
	'[The config reference](reference/config.md) has the options.';

/** Causes that prevent the start of a server, by the names of boot errors. */
export const causesAtStart: Readonly<Record<string, BootCause>> = {
	E_CONFIG_FILE: [
		'The config file is missing or cannot be loaded',
		'The path is wrong, or the file has a syntax error. In YAML, `${NAME}` inside `{ }` or `[ ]` needs quotes.',
	],
	E_CONFIG_SHAPE: [
		'The config has a wrong key or a wrong value',
		'A key is misspelled, or its value has another type.',
		correctOption,
	],
	E_CONFIG_ENV: ['A variable of the config is not set', 'The config uses `${NAME}`, and the environment lacks `NAME`.'],
	E_CONFIG_NAME: [
		'A package, a file or an export is not found',
		'The package of a `use` is not installed, its file does not exist, or a name is misspelled.',
		'Install the package beside the config, or correct the path or the name. Paths start at the folder of the config.',
	],
	E_CONFIG_LOAD: ['A package fails to load', 'A library of the package is missing or does not fit this machine.'],
	E_OPTIONS_INVALID: [
		'An option has a wrong value',
		'The schema of the backend, model or plugin refuses the option.',
		correctOption,
	],
	E_SERVICE_MISSING: ['A needed service has no provider', 'A plugin needs a backend that the config lacks.'],
	E_SERVICE_DUPLICATE: ['A service is provided twice', 'Two entries of the config provide the same service.'],
	E_SERVICE_CYCLE: ['A part needs itself in a cycle', 'Two or more parts wait for each other.'],
	E_MODEL_UNUSED: ['No plugin consumes a model', 'The config has a model and lacks the plugin of its kind.'],
	E_MODEL_DUPLICATE: ['Two models share an id or an alias', 'An alias repeats the id or an alias of another model.'],
	E_MODEL_KIND: [
		'A model has another kind than its use needs',
		'A `fallback`, a pool or a `defaultModel` names a model of another kind, or a plugin requests an undeclared kind.',
		'In a config, name a model of the right kind. In a plugin, declare the kind: `models: [theKind]`.',
	],
	E_ROUTE_DUPLICATE: [
		'Two routes have the same method and path',
		'Two plugins, or one plugin twice, add the same route.',
	],
	E_ROUTE_SCOPE: ['A route has no scope', 'The route definition leaves out `scope`.'],
	E_ROUTE_PATH: ['The path of a route has a wrong form', 'The path uses `:id`, or a parameter has no schema.'],
	E_JOB_KIND: [
		'A kind of job is wrong or not declared',
		'The list `jobs` of the plugin lacks the kind, or two plugins share it.',
	],
	E_DEFINITION: ['A definition is incomplete', 'A `define…` function received an object without a needed member.'],
	E_MODEL_SHAPE: ['A model lacks a method or a member', 'The result of `create` is not a model of its kind.'],
	E_API_VERSION: [
		'A package was built for another version of core',
		'Releases of different versions are installed together.',
	],
	E_CORE_COPY: ['There are two copies of @plinth/core', 'A package has `@plinth/core` as its own dependency.'],
	E_AUTH_OFF: [
		'Authentication is off on a public address',
		'The config has `server.auth: off` and another host than loopback.',
	],
	E_STEP_FAILED: [
		'A part fails while it starts',
		'A database, folder, program or upstream of the part is not usable.',
		'Correct what the message names, such as a path, an address or a program.',
	],
	E_STEP_TIMEOUT: ['A part takes too long to start', 'The part waits for a service that does not respond.'],
};
