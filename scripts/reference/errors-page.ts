import { globSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { bootErrors, type ErrorSpec, errors } from '@plinth/core';
import { escaped, table } from './markdown.ts';

const root = resolve(import.meta.dirname, '../..');

/** Coded errors that a package exports. */
export interface ErrorTable {
	/** The import specifier. */
	readonly package: string;
	readonly errors: Readonly<Record<string, ErrorSpec>>;
}

const example = { message: '…', type: 'invalid_request_error', param: 'size', code: 'invalid_value' };

/** The page of every coded error. Throws when an error is never created. */
export async function errorsPage(): Promise<string> {
	const created = createdNames();
	const tables = await errorTables();
	return [
		'---\naside: false\n---',
		'# Errors',
		'[Troubleshooting](../troubleshooting.md) has the cause and the cure of each error. A message may be more exact.',
		'Clients read the status, the type and the code. Logs and your own code read the name.',
		`\`\`\`json\n${JSON.stringify({ error: example }, null, 2)}\n\`\`\``,
		[
			'- The type is `requests` with status 429, `server_error` from 500, and `invalid_request_error` otherwise.',
			'- “retry” has the seconds of `retry-after`.',
			'- With “no”, the response has `x-should-retry: false`, and SDKs do not retry.',
		].join('\n'),
		...tables.flatMap(({ package: name, errors }) => [
			`## ${name}`,
			table(
				['name', 'status and code', 'message', 'retry'],
				Object.entries(errors).map(([code, spec]) => rowOf(code, spec, created)),
			),
		]),
		'## At the start',
		'One `BootError` with the code `E_BOOT` has all problems that keep a server from starting.',
		table(
			['name', 'remedy'],
			Object.entries(bootErrors).map(([code, remedy]) => [`\`${code}\``, cell(remedy)]),
		),
	].join('\n\n');
}

/** The tables of the kernel and of all other packages with errors. */
export async function errorTables(): Promise<readonly ErrorTable[]> {
	const folders = globSync('{core/toolkit,adapters/*,plugins/*}/package.json', {
		cwd: root,
	}).sort();
	const tables = folders.map(async (file) => {
		const { name } = JSON.parse(readFileSync(join(root, file), 'utf8'));
		const exported = Object.values(await import(name));
		return exported.filter(isTable).map((errors) => ({ package: String(name), errors }));
	});
	return [{ package: '@plinth/core', errors }, ...(await Promise.all(tables)).flat()];
}

function isTable(value: unknown): value is ErrorTable['errors'] {
	if (typeof value !== 'object' || value === null) return false;
	const names = Object.keys(value);
	return names.length > 0 && names.every((name) => name.startsWith('E_'));
}

function rowOf(name: string, spec: ErrorSpec, created: ReadonlySet<string>) {
	const { status, code, type, message, remedy, headers = {} } = spec;
	if (!created.has(name)) throw new Error(`No source creates ${name}: remove its row.`);
	return [
		`\`${name}\``,
		`${status} \`${code}\`${type === typeOf(status) ? '' : `, type \`${type}\``}`,
		cell(remedy === undefined ? message : `${message} ${remedy}`),
		headers['x-should-retry'] === 'false' ? 'no' : retryOf(headers),
	];
}

function typeOf(status: number): string {
	if (status === 429) return 'requests';
	return status >= 500 ? 'server_error' : 'invalid_request_error';
}

function retryOf(headers: Readonly<Record<string, string>>): string {
	const seconds = headers['retry-after'];
	return seconds === undefined ? '–' : `${seconds} s`;
}

// A name that is not compared, or a table row that is called as a function.
const errorName = /(?:(?<!(?:[!=]==|case) )'|\(errors\.)(E_[A-Z0-9_]+)['),]/g;

/** The names of the errors that the sources create. */
function createdNames(): ReadonlySet<string> {
	const files = globSync('{core/*,cli,adapters/*,plugins/*}/src/**/*.ts', { cwd: root });
	return new Set(
		files.flatMap((file) =>
			[...readFileSync(join(root, file), 'utf8').matchAll(errorName)].map(([, name = '']) => name),
		),
	);
}

const cell = (text: string) => escaped(text).replaceAll('|', '\\|');
