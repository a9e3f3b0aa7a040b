import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { cp, readFile } from 'node:fs/promises';
import { delimiter, dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { eventually } from '@plinth/testing';
import { inject } from 'vitest';
import { published, root } from './workspace.ts';

/** An example outside the workspace, installed and built. */
export interface BuiltExample {
	readonly folder: string;
	/** The command of its script `start`. */
	readonly command: readonly string[];
	readonly env: Readonly<Record<string, string>>;
}

/** A server of an example. */
export interface ExampleServer {
	/** Without a trailing slash. */
	readonly url: string;
	/** Waits until the output matches the pattern. */
	hasPrinted(text: RegExp): Promise<void>;
	/** Sends SIGTERM and waits for the exit. Returns the exit code, or the signal that ended the process. */
	stop(): Promise<number | string>;
}

const npm = promisify(execFile);

/** Long enough for a machine that runs other tests at the same time. */
const timeoutMs = 120_000;

/** Copies an example, installs it with our packed packages, and runs its script `build`. */
export async function buildExample(name: string): Promise<BuiltExample> {
	const { app, tarballs } = inject('prepared');
	const folder = join(app, '..', name);
	await cp(join(root, 'examples', name), folder, {
		recursive: true,
		// Output of earlier runs in the checkout.
		filter: (path) => !/\/(node_modules|dist|\.next|\.plinth|package-lock\.json)$/.test(path),
	});
	const manifest = JSON.parse(await readFile(join(folder, 'package.json'), 'utf8'));
	const names = new Set(published.map((each) => each.manifest.name));
	const ours = tarballs
		.filter((tarball) => names.has(tarball.name))
		.map(({ filename }) => join(app, '../packed', filename));
	const flags = ['--prefer-offline', '--ignore-scripts', '--no-audit', '--no-fund'];
	const env = environment(folder);
	const settled = { cwd: folder, timeout: timeoutMs };
	await npm('npm', ['install', ...flags, ...ours], settled);
	await npm('npm', ['run', 'build'], { ...settled, env }).catch((error: { stdout?: string }) => {
		throw new Error(`${name} cannot be built: ${error.stdout}`, { cause: error });
	});
	// npm does not forward signals, so the command of the script runs without npm and without a shell.
	const words: readonly string[] = manifest.scripts.start.split(' ');
	const isSetting = (word: string) => /^[A-Z_]+=/.test(word);
	const settings = words.filter(isSetting).map((word) => word.split('=', 2));
	return {
		folder,
		command: words.filter((word) => !isSetting(word)),
		env: { ...env, ...Object.fromEntries(settings) },
	};
}

/** Starts an example on a free port. Resolves when it has printed its URL. */
export async function startExample({
	folder,
	command: [program = '', ...args],
	env,
}: BuiltExample): Promise<ExampleServer> {
	const child = spawn(program, args, {
		cwd: folder,
		env: { ...env, PORT: '0' },
		stdio: ['ignore', 'pipe', 'pipe'],
		timeout: timeoutMs,
		killSignal: 'SIGKILL',
	});
	let printed = '';
	let isOver = false;
	for (const stream of [child.stdout, child.stderr]) {
		stream.on('data', (chunk: Buffer) => {
			printed += chunk;
		});
	}
	const closed = once(child, 'close') as Promise<[number | null, string | null]>;
	void closed.then(() => {
		isOver = true;
	});
	const hasPrinted = (text: RegExp) => {
		const isThere = () => {
			if (text.test(printed)) return true;
			if (!isOver) return false;
			throw new Error(`${program} has ended without it:\n${printed}`);
		};
		return eventually(`${text} in the output`, isThere, 30_000);
	};
	await hasPrinted(/http:\/\/127\.0\.0\.1:\d+/);
	return {
		url: /http:\/\/127\.0\.0\.1:\d+/.exec(printed)?.[0] ?? '',
		hasPrinted,
		async stop() {
			child.kill('SIGTERM');
			const [code, signal] = await closed;
			return code ?? signal ?? '';
		},
	};
}

/** Nothing of the environment of the tests is inherited. Commands of the example come first in PATH. */
function environment(folder: string): Record<string, string> {
	const { PATH = '', HOME = folder, TMPDIR } = process.env;
	const path = [join(folder, 'node_modules/.bin'), dirname(process.execPath), PATH];
	return { PATH: path.join(delimiter), HOME, ...(TMPDIR ? { TMPDIR } : {}) };
}
