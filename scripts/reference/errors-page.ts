import { globSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { bootErrors, type ErrorSpec, errors } from '@plinth/core';
import { table } from './markdown.ts';

const root = resolve(import.meta.dirname, '../..');

/** Coded errors of a package, as it exports them. */
export interface ErrorTable {
	/** As it is imported. */
	readonly package: string;
	readonly errors: Readonly<Record<string, ErrorSpec>>;
}

/** The page of every coded error. Throws when one is never made. */
export async function errorsPage(): Promise<string> {
	const makers = findMakers();
	const tables = await errorTables();
	return [
		'# Errors',
		'Every coded error, from the tables in the sources: `npm run reference` writes this page. Clients read status, type and code; logs and code read the name. A message may be more exact than the one here, and a remedy is appended to it.',
		...tables.flatMap(({ package: name, errors }) => [
			`## ${name}`,
			table(
				['name', 'status', 'code', 'type', 'message', 'remedy', 'headers', 'made in'],
				Object.entries(errors).map(([code, spec]) => rowOf(code, spec, makers)),
			),
		]),
		'## At the start',
		'What keeps a server from starting, all of it in one `BootError` with the code `E_BOOT`. Each problem has a name, who is at fault, where in the config, and a remedy: this one, or a better one.',
		table(
			['name', 'remedy'],
			Object.entries(bootErrors).map(([code, remedy]) => [`\`${code}\``, cell(remedy)]),
		),
	].join('\n\n');
}

/** The tables of the kernel and of all packages that have one. */
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

function rowOf(name: string, spec: ErrorSpec, makers: ReadonlyMap<string, Set<string>>) {
	const { status, code, type, message, remedy, headers = {} } = spec;
	const places = makers.get(name);
	if (!places) throw new Error(`Nothing makes ${name}: remove its row.`);
	const sent = Object.entries(headers).map(([header, value]) => `\`${header}: ${value}\``);
	return [
		`\`${name}\``,
		String(status),
		code === null ? '`null`' : `\`${code}\``,
		`\`${type}\``,
		cell(message),
		cell(remedy ?? '–'),
		sent.join(', ') || '–',
		[...places].sort().join(', '),
	];
}

// A name that is not compared with, or a row that a function is called with.
const made = /(?:(?<!(?:[!=]==|case) )'|\(errors\.)(E_[A-Z_]+)['),]/g;

/** The folders of packages by the names of the errors that they make. */
function findMakers(): ReadonlyMap<string, Set<string>> {
	const makers = new Map<string, Set<string>>();
	for (const file of globSync('{core/*,cli,adapters/*,plugins/*}/src/**/*.ts', { cwd: root })) {
		const [folder = ''] = file.split('/src/');
		const text = readFileSync(join(root, file), 'utf8');
		for (const [, name = ''] of text.matchAll(made)) {
			makers.set(name, (makers.get(name) ?? new Set()).add(folder));
		}
	}
	return makers;
}

const cell = (text: string) => text.replaceAll('|', '\\|').replaceAll('<', '&lt;');
