import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';

const version = '1.15.2';
const cache = process.env.XDG_CACHE_HOME || join(homedir(), '.cache');
const folder = join(cache, 'plinth-bench', `portkey-${version}`);
const script = join(folder, 'node_modules/@portkey-ai/gateway/build/start-server.js');

/** The script that starts Portkey's gateway, installed into the user's cache if missing; undefined where npm fails. */
export async function portkeyScript(): Promise<string | undefined> {
	if (existsSync(script)) return script;
	const flags = ['--ignore-scripts', '--no-audit', '--no-fund', '--prefix', folder];
	try {
		await mkdir(folder, { recursive: true });
		await promisify(execFile)('npm', ['install', ...flags, `@portkey-ai/gateway@${version}`]);
		return script;
	} catch (error) {
		const reason = error instanceof Error ? error.message.split('\n')[0] : error;
		console.error(`Portkey ${version} is left out, for npm could not install it: ${reason}`);
		return undefined;
	}
}
