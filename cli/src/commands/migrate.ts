import { type BackendInstance, redact } from '@plinth/core';
import { type ConfigFlags, configFrom } from '../find-config.ts';
import { UserError } from '../user-error.ts';

/** Migrates the storage of every backend that supports it to the current version. Servers may be running. */
export async function migrate(flags: ConfigFlags): Promise<void> {
	const { config } = await configFrom(flags);
	// Report the first problem of a backend instead of the migration failure that it would cause.
	const problem = config.problems.find(({ path }) => path === 'extends' || path.startsWith('backends'));
	if (problem) throw new UserError(`${problem.path}: ${problem.message} ${problem.remedy}`);
	const backends = Object.entries(config.backends).filter(([, { definition }]) => definition.migrate);
	for (const [id, backend] of backends) process.stdout.write(`${id}: ${await migrateOne(id, backend)}\n`);
	if (backends.length === 0)
		process.stdout.write('No backend of this composition needs this command: each migrates when it starts.\n');
}

async function migrateOne(id: string, { definition, options }: BackendInstance): Promise<string | undefined> {
	const parsed = definition.config.safeParse(options);
	if (!parsed.success) {
		const [{ path = [], message = '' } = {}] = parsed.error.issues;
		throw new UserError(`backends.${[id, 'with', ...path].join('.')}: ${message}. Run plinth check for more.`);
	}
	try {
		return await definition.migrate?.(parsed.data);
	} catch (error) {
		throw new UserError(redact(`backends.${id}: ${(error as Error).message}`), { cause: error });
	}
}
