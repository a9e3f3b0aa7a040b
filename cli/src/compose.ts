import { type App, type CreateAppOptions, createApp, findConfig } from '@plinth/core';
import { embedded } from './embedded.ts';

/** A booted app and the file that composed it; undefined for the built-in composition. */
export interface Composed {
	readonly app: App;
	readonly file: string | undefined;
}

/** Finds the config, or takes the built-in composition, and boots it up to its frozen routes. */
export async function compose(
	flags: { readonly config?: string },
	options: CreateAppOptions = {},
): Promise<Composed> {
	const env = options.env ?? process.env;
	const { file, config } = await findConfig({ file: flags.config, env, fallback: embedded });
	return { app: await createApp(config, { ...options, file }), file };
}
