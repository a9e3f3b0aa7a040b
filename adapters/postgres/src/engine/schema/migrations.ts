import { jobFunctions } from './jobs.ts';
import { recordFunctions } from './records.ts';
import { runFunctions } from './run.ts';
import { tables } from './tables.ts';
import { takeFunctions } from './take.ts';

/** A step from one version of the schema to the next. */
export interface Migration {
	/** The oldest version of this adapter's schema whose processes can go on after the step. */
	readonly serves: number;
	/** Statements for a schema of the name `plinth`. */
	readonly sql: string;
}

/**
 * The steps from an empty schema to the present one. A step that was released is never changed, and only adds:
 * processes of the version before it go on while it runs and after it.
 */
export const migrations: readonly Migration[] = [
	{ serves: 1, sql: [tables, jobFunctions, takeFunctions, runFunctions, recordFunctions].join('\n') },
	{
		serves: 1,
		sql: `
			CREATE TABLE plinth.identity AS SELECT gen_random_uuid()::text AS id;
		`,
	},
];

/** The statements for a schema of another name. */
export function inSchema(sql: string, schema: string): string {
	return sql.replaceAll('plinth.', `"${schema}".`);
}
