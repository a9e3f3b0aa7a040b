import { compose } from '../compose.ts';
import { quietLogger } from '../quiet.ts';
import { formatTree } from '../tree.ts';

/** Boots without listening and prints the tree; a broken composition prints its report instead. */
export async function check(flags: { readonly config?: string }): Promise<void> {
	const { app, file } = await compose(flags, { log: quietLogger });
	try {
		process.stdout.write(
			`${file ?? 'the built-in composition'} is fine\n\n${formatTree(app.tree())}`,
		);
	} finally {
		await app.stop();
	}
}
