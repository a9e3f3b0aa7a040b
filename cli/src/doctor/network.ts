import { once } from 'node:events';
import { createServer } from 'node:net';
import { type Finding, ok, problem, warning } from './finding.ts';

/** The checked settings of the `server` section, as in the config. */
export interface ServerSettings {
	readonly host: string;
	readonly port: number;
	readonly publicUrl: string;
}

/** Reads the settings of a section that is not validated yet. */
export function serverSettings(section: Readonly<Record<string, unknown>>): ServerSettings {
	const { host = '127.0.0.1', port = 8080, publicUrl = '' } = section;
	return { host: String(host), port: Number(port), publicUrl: String(publicUrl) };
}

/** Checks that the port is free or used by a running Plinth. */
export async function checkPort({ host, port }: ServerSettings): Promise<Finding> {
	const check = 'port';
	const address = `${port} on ${host}`;
	if (!Number.isInteger(port) || port < 0 || port > 65_535) {
		return problem(check, 'is not a number from 0 to 65535', 'Correct PORT, or server.port.');
	}
	if (port === 0) return ok(check, 'a free one at each start');
	const code = await tryListen(host, port).catch((error: NodeJS.ErrnoException) => error.code ?? 'unknown');
	if (code === undefined) return ok(check, `${address} is free`);
	if (code === 'EADDRINUSE') {
		const owner = await runningVersion(host, port);
		if (owner) return ok(check, `${address} is in use by a running Plinth ${owner}`);
		return problem(check, `${address} is taken by another program`, 'Stop it, or choose another port: PORT=8081.');
	}
	if (code === 'EACCES') {
		return problem(check, `${address} may not be opened by this user`, 'Choose a port above 1023.');
	}
	return problem(
		check,
		`${address} cannot be opened (${code})`,
		'Correct HOST: it must be an address of this machine.',
	);
}

/** Checks the public URL. Links in responses start with it. */
export function checkPublicUrl({ host, publicUrl }: ServerSettings): Finding {
	const check = 'public URL';
	if (publicUrl !== '') return ok(check, publicUrl);
	if (/^(?:localhost|::1|127\.)/.test(host)) return ok(check, 'the listening address');
	return warning(
		check,
		`not set, and ${host} serves other machines: links would start with this machine's address`,
		'Set PLINTH_PUBLIC_URL to the address that clients use.',
	);
}

/** Listens for a moment. Rejects when that is not possible, also when the port is taken by sockets with `reusePort`. */
export async function tryListen(host: string, port: number): Promise<void> {
	const server = createServer();
	await once(server.listen({ host, port, exclusive: true }), 'listening');
	await once(server.close(), 'close');
}

/** The version of a running Plinth. Undefined when another program responds, or when none does within 2 s. */
async function runningVersion(host: string, port: number): Promise<string | undefined> {
	const [, address = host] = /^(?:0\.0\.0\.0|::)$/.test(host) ? [host, 'localhost'] : [host, host];
	const url = `http://${address.includes(':') ? `[${address}]` : address}:${port}`;
	const getJson = async (path: string) => {
		const response = await fetch(`${url}${path}`, { signal: AbortSignal.timeout(2_000) });
		return (await response.json()) as {
			status?: unknown;
			info?: { title?: unknown; version?: unknown };
		};
	};
	try {
		if ((await getJson('/healthz')).status !== 'ok') return undefined;
		const { info } = await getJson('/openapi.json');
		return info?.title === 'Plinth' ? String(info.version).slice(0, 20) : undefined;
	} catch {
		return undefined;
	}
}
