import { join } from 'node:path';
import { plinth } from '../../support/cli.ts';
import { removeDir, temporaryDir } from '../../support/serve.ts';

/** The key of a test server. */
export const key = 'the-key-of-the-browser-tests';

/** A running `plinth serve`. */
export interface ConsoleServer {
	/** The URL, without a trailing slash. */
	readonly url: string;
	/** The log so far. */
	log(): string;
	stop(): Promise<void>;
}

/** The settings that a test may change. */
export interface ServerOptions {
	readonly env?: Readonly<Record<string, string>>;
	/** The name of a config beside this file; by default the preset of `plinth serve`. */
	readonly config?: string;
	/** The port of a stopped server; by default any free one. */
	readonly port?: number;
	/** A folder that is kept after the server has stopped; by default a temporary one. */
	readonly cwd?: string;
}

/** Starts `plinth serve` as its own process, with the log level `info`. */
export async function startServer({ env = {}, config, port = 0, cwd }: ServerOptions = {}): Promise<ConsoleServer> {
	const args = config === undefined ? [] : ['--config', join(import.meta.dirname, config)];
	const folder = cwd ?? (await temporaryDir('browser'));
	const child = plinth(['serve', '--json', ...args], {
		cwd: folder,
		env: { PORT: String(port), PLINTH_API_KEYS: `browser:${key}`, ...env },
	});
	const stop = async () => {
		await child.kill();
		if (cwd === undefined) await removeDir(folder);
	};
	try {
		const [, url = ''] = await child.printed(/serving +(http:\S+)[\s\S]*try +curl/);
		return { url, log: () => child.stdout() + child.stderr(), stop };
	} catch (error) {
		await stop();
		throw error;
	}
}
