import { compose } from '../compose.ts';
import { quietLogger } from '../quiet.ts';

/** Prints the OpenAPI document as JSON. */
export async function openapi(flags: { readonly config?: string }): Promise<void> {
	const { app } = await compose(flags, { log: quietLogger });
	try {
		process.stdout.write(`${JSON.stringify(app.openapi(), null, '\t')}\n`);
	} finally {
		await app.stop();
	}
}
