import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type BackendInstance, createApp } from '@plinth/core';
import { redirectPaths } from '../doctor/paths.ts';
import { type ConfigFlags, configFrom } from '../find-config.ts';
import { notOffered } from '../not-offered.ts';
import { warningLogger } from '../quiet.ts';
import { summary } from '../summary.ts';
import { formatTree } from '../tree.ts';
import { UserError } from '../user-error.ts';

/** The flags of `plinth check`. */
export interface CheckFlags extends ConfigFlags {
	readonly verbose?: boolean;
	readonly online?: boolean;
}

/**
 * Boots without listening and prints a summary, or the problems of a broken composition. Replaces missing paths by
 * temporary ones. `verbose` also prints every part. With `online`, each model checks that its server responds.
 */
export async function check(flags: CheckFlags): Promise<void> {
	const { file, config } = await configFrom(flags);
	const scratch = await mkdtemp(join(tmpdir(), 'plinth-check-')).catch(throwUnwritable);
	try {
		const backends = withoutMigrations(redirectPaths(config.backends, scratch).backends);
		const { log, warnings } = warningLogger();
		const app = await createApp({ ...config, backends }, { file, log });
		try {
			const problems = flags.online ? await app.checkModels() : [];
			if (problems.length > 0) throw new UserError(problems.join('\n'));
			const tree = flags.verbose ? formatTree(app.tree(), notOffered(app)) : '';
			process.stdout.write(`${tree}${await summary(app, { file, config })}`.trimStart());
			for (const { text, remedy } of warnings) process.stdout.write(`warning: ${text}\nremedy: ${remedy}\n\n`);
		} finally {
			await app.stop();
		}
	} finally {
		await rm(scratch, { recursive: true, force: true, maxRetries: 3 });
	}
}

/** Turns migrations off: a check must not change storage. */
function withoutMigrations(backends: Readonly<Record<string, BackendInstance>>): Record<string, BackendInstance> {
	const entries = Object.entries(backends).map(([id, backend]) => {
		const options = backend.definition.migrate ? { ...(backend.options as object), migrate: false } : backend.options;
		return [id, { ...backend, options }] as const;
	});
	return Object.fromEntries(entries);
}

function throwUnwritable(cause: unknown): never {
	const { code = String(cause) } = cause as { code?: string };
	throw new UserError(
		`${tmpdir()} cannot be written to (${code}), and check tries the composition there. Set TMPDIR to a folder that can.`,
		{ cause },
	);
}
