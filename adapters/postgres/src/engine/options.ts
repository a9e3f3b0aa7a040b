import { formBoolean } from '@plinth/toolkit';
import { z } from 'zod';

/** The options that all backends of this adapter share. */
export const databaseOptions = {
	/** `postgres://user:password@host:5432/database`. Backends with the same URL share its connections. */
	url: z.string().refine(isPostgresUrl, {
		error: 'Write a URL such as postgres://host:5432/database, with user and password before the host, percent-encoded',
	}),
	/** The schema that holds the tables. It is created if it is absent. */
	schema: z
		.string()
		.regex(/^[a-z_][a-z0-9_]{0,40}$/, 'Use lower-case letters, digits and underscores')
		.default('plinth'),
	/** With `false`, a start with an older schema fails instead of migrating it; `plinth migrate` migrates it. */
	migrate: formBoolean().default(true),
};

function isPostgresUrl(text: string): boolean {
	return /^postgres(?:ql)?:\/\//.test(text) && URL.canParse(text);
}
