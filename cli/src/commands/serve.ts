import cluster from 'node:cluster';
import { availableParallelism } from 'node:os';
import { services } from '@plinth/core';
import { banner } from '../banner.ts';
import { type Composed, type ComposeOptions, compose } from '../compose.ts';
import { dataPlaces } from '../data-places.ts';
import type { ConfigFlags } from '../find-config.ts';
import { issueFirstKey, keySources } from '../key-sources.ts';
import { checkHasWork, checkShared } from '../shared.ts';
import { stopOnSignals } from '../signals.ts';
import { stopWithParent } from '../stop-with-parent.ts';
import { UserError } from '../user-error.ts';
import { workerBanner } from './worker.ts';

/** The flags of `plinth serve`. */
export interface ServeFlags extends ConfigFlags {
	readonly host?: string;
	readonly port?: number;
	/** How many processes serve, or `auto`. */
	readonly processes?: string;
	/** Whether `plinth dev` is the parent process. */
	readonly dev?: boolean;
	/** Whether the parent process is `plinth serve --processes`. */
	readonly child?: boolean;
}

/** Serves until a signal arrives, in the configured number of processes. */
export async function serve(flags: ServeFlags): Promise<void> {
	const processes = processCount(flags.processes ?? (process.env.PLINTH_PROCESSES || '1'));
	if (processes > 1 && cluster.isPrimary) (await import('../processes/primary.ts')).supervise(processes);
	else if (hasParent(flags)) await serveHere(flags).catch(disconnect);
	else await serveHere(flags);
}

/** Whether a `plinth` process is the parent. Other parents, such as process managers, may have a channel too. */
function hasParent({ dev, child }: ServeFlags): boolean {
	return (dev || child) === true && process.channel !== undefined;
}

/** Throws, and lets this process exit although the channel to its parent is open. */
function disconnect(error: unknown): never {
	process.channel?.unref();
	throw error;
}

/** Serves in this process. */
async function serveHere(flags: ServeFlags): Promise<void> {
	const composed = await compose(flags, await optionsOf(flags));
	const { app, config } = composed;
	if (hasParent(flags)) stopWithParent(app);
	else stopOnSignals(app);
	try {
		if (config.role === 'worker') checkHasWork(app);
		if (flags.child) checkSharing(composed);
		const own = {
			...(flags.host === undefined ? {} : { host: flags.host }),
			...(flags.port === undefined ? {} : { port: flags.port }),
		};
		const { url } = flags.child
			? await (await import('../processes/listen-shared.ts')).listenShared(app, { ...config.server, ...own })
			: await app.listen(own);
		// Only the first of several processes prints the banner.
		if (flags.child && cluster.worker?.id !== 1) return;
		process.stdout.write(config.role === 'worker' ? workerBanner(composed, url) : await serverBanner(composed, url));
	} catch (error) {
		await app.stop();
		throw explainListen(error);
	}
}

async function optionsOf({ dev, child }: ServeFlags): Promise<ComposeOptions> {
	if (dev && process.channel) {
		const { quickStop, reportImports } = await import('../dev/child.ts');
		reportImports();
		return { server: quickStop };
	}
	if (!child) return {};
	const { shareEvents } = await import('../processes/shared-events.ts');
	return { backends: shareEvents };
}

async function serverBanner({ app, file, config }: Composed, url: string): Promise<string> {
	// The first key is created only after the server listens, because it is shown only once.
	const sources = keySources(app, { file, config });
	const keys = await issueFirstKey(sources);
	const data = dataPlaces(app, config);
	return banner({ app, config, url, file, data, keys, isAuthOff: !sources.isRequired });
}

/** Fails when processes cannot share the storage, or when the config has a group: its limit is per process. */
function checkSharing({ app, config }: Composed): void {
	checkShared(app, [services.jobs, services.records, services.blobs], 'Several processes share their storage.');
	const [group] = Object.keys(config.groups);
	if (group === undefined) return;
	throw new UserError(
		`The group ${group} limits only the models of one process, so several processes would use its device at once. ` +
			'Start one process, or put the models of the group into one worker.',
	);
}

function processCount(text: string): number {
	const count = text === 'auto' ? availableParallelism() : Number(text);
	if (Number.isInteger(count) && count >= 1 && count <= 256) return count;
	throw new UserError(`--processes or PLINTH_PROCESSES is "${text}". Use a number from 1 to 256, or auto.`);
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
