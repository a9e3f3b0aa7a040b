import { bootErrors, type ErrorSpec } from '@plinth/core';
import { errorTables } from '../errors-page.ts';
import { escaped } from '../markdown.ts';
import { causesAtStart } from './boot-causes.ts';
import { causesOfAnswers } from './causes.ts';

/**
 * The page of every message, with its cause and its cure. Throws when an error has no cause, or a cause has no error.
 */
export async function troubleshootingPage(): Promise<string> {
	const tables = await errorTables();
	const specs = new Map(tables.flatMap(({ errors }) => Object.entries(errors)));
	const sections = causesOfAnswers.map(({ title, causes }) => {
		const entries = Object.entries(causes).map(([name, cause]) => responseEntry(name, cause, take(specs, name)));
		return [`## ${title}`, ...entries].join('\n\n');
	});
	const [missing] = specs.keys();
	if (missing) throw new Error(`${missing} has no cause: add it to scripts/reference/troubleshooting/causes.ts.`);
	return [
		'---\noutline: 2\n---',
		'# Troubleshooting',
		'Find your message below, or with the search field.',
		[
			'- `plinth check` tests a config without starting a server.',
			'- `plinth doctor` tests the machine: Node, memory, disks, stores, keys, port and variables.',
			'- Each response has an `x-request-id` header. The server log has the same id.',
		].join('\n'),
		...sections,
		'## At the start',
		'The report lists all problems at once, with the part at fault and the place in the config.',
		...startEntries(),
	].join('\n\n');
}

function responseEntry(name: string, [cause, cure]: readonly [string, string?], spec: ErrorSpec): string {
	const what = `\`${spec.status}\` \`${spec.code ?? spec.type}\` \`${name}\``;
	const remedy = cure ?? spec.remedy ?? fail(`${name} has no remedy: add a cure to its cause.`);
	return entry(escaped(spec.message), what, cause, cure ? remedy : escaped(remedy));
}

function startEntries(): readonly string[] {
	for (const name of Object.keys(causesAtStart)) {
		if (!(name in bootErrors)) fail(`There is no boot error ${name}: remove its cause.`);
	}
	return Object.entries(bootErrors).map(([name, remedy]) => {
		const [symptom, cause, cure] =
			causesAtStart[name] ?? fail(`${name} has no cause: add it to scripts/reference/troubleshooting/boot-causes.ts.`);
		return entry(symptom, `\`${name}\``, cause, cure ?? escaped(remedy));
	});
}

function entry(title: string, codes: string, cause: string, cure: string): string {
	return `### ${title.replace(/\.$/, '')}\n\n${codes}\n\n- Cause: ${cause}\n- Cure: ${cure}`;
}

function take(specs: Map<string, ErrorSpec>, name: string): ErrorSpec {
	const spec = specs.get(name) ?? fail(`There is no error ${name}, or it has two causes: remove this one.`);
	specs.delete(name);
	return spec;
}

function fail(message: string): never {
	throw new Error(message);
}
