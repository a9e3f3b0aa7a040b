import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { styleText } from 'node:util';
import { redact, version } from '@plinth/core';
import { counted } from '../counted.ts';
import { checkComposition, compositionProblem } from '../doctor/composition.ts';
import { checkFolder, checkTemp } from '../doctor/disks.ts';
import { checkVariables, trackReads } from '../doctor/environment.ts';
import type { Finding } from '../doctor/finding.ts';
import { checkPort, checkPublicUrl, serverSettings } from '../doctor/network.ts';
import { foldersOf } from '../doctor/paths.ts';
import { checkFiles } from '../doctor/permissions.ts';
import { checkPrograms } from '../doctor/programs.ts';
import { checkRuntime } from '../doctor/runtime.ts';
import { configFrom } from '../find-config.ts';
import type { LoadedConfig } from '../read-config.ts';

/**
 * Checks everything that a server needs, prints a line for each, and exits 1 when there is a problem.
 * Leaves no files.
 */
export async function doctor(flags: { readonly config?: string; readonly json?: boolean }): Promise<void> {
	const findings = (await runChecks(flags)).map(withoutSecrets);
	const isHealthy = findings.every(({ status }) => status !== 'problem');
	const { json = false } = flags;
	process.stdout.write(
		json ? `${JSON.stringify({ version, ok: isHealthy, findings }, null, '\t')}\n` : formatFindings(findings),
	);
	if (!isHealthy) process.exitCode = 1;
}

async function runChecks(flags: { readonly config?: string }): Promise<readonly Finding[]> {
	const { env, read } = trackReads(process.env);
	const runtimeChecks = async () => [...checkRuntime(), await checkPrograms()];
	let loaded: LoadedConfig;
	try {
		loaded = await configFrom({ ...(flags.config && { config: flags.config }) }, env);
	} catch (error) {
		return [...(await runtimeChecks()), compositionProblem(error)];
	}
	const { config, file } = loaded;
	const folders = foldersOf(config.backends);
	const server = serverSettings(config.server);
	const text = file === undefined ? '' : await readFile(file, 'utf8');
	return [
		...(await runtimeChecks()),
		...(await withScratch((scratch) => checkComposition({ config, file, scratch }))),
		...(await Promise.all(folders.map(checkFolder))),
		...(await checkFiles(folders)),
		await checkTemp(folders),
		await checkPort(server),
		checkPublicUrl(server),
		...checkVariables(process.env, read, text),
	];
}

/** Runs `use` with a temporary folder. Without one, `checkTemp` reports the reason. */
async function withScratch(use: (scratch: string) => Promise<readonly Finding[]>): Promise<readonly Finding[]> {
	const scratch = await mkdtemp(join(tmpdir(), 'plinth-doctor-')).catch(() => undefined);
	if (scratch === undefined) return [];
	try {
		return await use(scratch);
	} finally {
		await rm(scratch, { recursive: true, force: true });
	}
}

function withoutSecrets({ text, remedy, ...rest }: Finding): Finding {
	return {
		...rest,
		text: redact(text),
		...(remedy === undefined ? {} : { remedy: redact(remedy) }),
	};
}

const styles = { ok: 'green', warning: 'yellow', problem: 'red' } as const;

function formatFindings(findings: readonly Finding[]): string {
	const indent = ' '.repeat(25);
	const lines = findings.map(({ check, status, text, remedy }) => {
		const label = styleText(styles[status], status.padEnd(8), { stream: process.stdout });
		const [first = '', ...others] = text.split('\n');
		return [
			`${label} ${check.padEnd(15)} ${first}`,
			...others.map((row) => (row === '' ? '' : indent + row)),
			...(remedy === undefined ? [] : [`${indent}remedy: ${remedy}`]),
		].join('\n');
	});
	const count = (wanted: 'warning' | 'problem') =>
		counted(findings.filter(({ status }) => status === wanted).length, wanted);
	const summary = [counted(findings.length, 'check'), count('warning'), count('problem')].join(', ');
	return `${lines.join('\n')}\n\n${summary}\n`;
}
