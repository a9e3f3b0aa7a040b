import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createApp, findConfig } from '@plinth/core';
import { redirectPaths } from '../doctor/paths.ts';
import { embedded } from '../embedded.ts';
import { quietLogger } from '../quiet.ts';
import { formatTree } from '../tree.ts';
import { UserError } from '../user-error.ts';

/**
 * Boots without listening and prints the tree, or the report of a broken composition. Paths that do not
 * exist yet are replaced by temporary ones.
 */
export async function check(flags: { readonly config?: string }): Promise<void> {
	const { file, config } = await findConfig({ file: flags.config, fallback: embedded });
	const scratch = await mkdtemp(join(tmpdir(), 'plinth-check-')).catch(throwUnwritable);
	try {
		const { backends } = redirectPaths(config.backends, scratch);
		const app = await createApp({ ...config, backends }, { file, log: quietLogger });
		try {
			const title = `${file ?? 'the built-in composition'} is fine`;
			process.stdout.write(`${title}\n\n${formatTree(app.tree())}`);
		} finally {
			await app.stop();
		}
	} finally {
		await rm(scratch, { recursive: true, force: true, maxRetries: 3 });
	}
}

function throwUnwritable(cause: unknown): never {
	const { code = String(cause) } = cause as { code?: string };
	throw new UserError(
		`${tmpdir()} cannot be written to (${code}), and check tries the composition there. Set TMPDIR to a folder that can.`,
		{ cause },
	);
}
