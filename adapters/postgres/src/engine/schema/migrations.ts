import { jobFunctions } from './jobs.ts';
import { recordFunctions } from './records.ts';
import { runFunctions } from './run.ts';
import { tables } from './tables.ts';
import { takeFunctions } from './take.ts';

/** A step from one version of the schema to the next. */
export interface Migration {
	/** The oldest version of this adapter's schema whose processes still work after the step. */
	readonly serves: number;
	/** Statements for a schema of the name `plinth`. */
	readonly sql: string;
}

/**
 * The migrations from an empty schema to the current one. The statements of a released migration never change. They
 * only add, so processes of the previous version continue while a migration runs and afterwards.
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
