import { banner } from '../banner.ts';
import { compose } from '../compose.ts';
import { dataPlaces } from '../data-places.ts';
import type { ConfigFlags } from '../find-config.ts';
import { issueFirstKey, keySources } from '../key-sources.ts';
import { stopOnSignals } from '../signals.ts';
import { UserError } from '../user-error.ts';

/** The flags of `plinth serve`. */
export interface ServeFlags extends ConfigFlags {
	readonly host?: string;
	readonly port?: number;
	/** Whether `plinth dev` is the parent process. */
	readonly dev?: boolean;
}

/** Serves until a signal arrives. */
export async function serve(flags: ServeFlags): Promise<void> {
	const parent = flags.dev && process.channel ? await import('../dev/child.ts') : undefined;
	parent?.reportImports();
	const { app, file, config } = await compose(flags, parent ? { server: parent.quickStop } : {});
	if (parent) parent.stopWithParent(app);
	else stopOnSignals(app);
	try {
		const { url } = await app.listen({
			...(flags.host === undefined ? {} : { host: flags.host }),
			...(flags.port === undefined ? {} : { port: flags.port }),
		});
		// Only after the server listens: a key is shown only once.
		const sources = keySources(app, config);
		const keys = await issueFirstKey(sources);
		const data = dataPlaces(app, config);
		process.stdout.write(banner({ app, url, file, data, keys, isAuthOff: !sources.isRequired }));
	} catch (error) {
		await app.stop();
		throw explainListen(error);
	}
}

function explainListen(error: unknown): unknown {
	const { code, port, address, hostname } = error as {
		code?: string;
		port?: number;
		address?: string;
		hostname?: string;
	};
	if (code === 'EADDRINUSE') {
		return new UserError(
			`Port ${port} on ${address} is taken. Stop the other program, or choose another port: PORT=8081 or --port 8081.`,
		);
	}
	if (code === 'EACCES')
		return new UserError(`Port ${port} may not be opened by this user. Choose one above 1023: --port 8080.`);
	if (code === 'ENOTFOUND' || code === 'EAI_AGAIN' || code === 'EADDRNOTAVAIL')
		return new UserError(
			`${address ?? hostname ?? 'The host'} is not an address of this machine. ` +
				'Choose another one: HOST=127.0.0.1 or --host 0.0.0.0.',
		);
	return error;
}
