import type { Experimental_VideoModelV4, JSONValue } from '@ai-sdk/provider';
import { type Clock, modelError, orAbort } from '@plinth/core';
import type { VideoRun } from '@plinth/plugin-video/model';
import { callProvider, failureOf, statusOf, withoutUrls } from '../failure.ts';

/** A model whose work continues without a connection. */
export type OperationModel = Required<Pick<Experimental_VideoModelV4, 'provider' | 'doStart' | 'doStatus'>>;
type Status = Awaited<ReturnType<OperationModel['doStatus']>>;
export type Finished = Pick<Extract<Status, { status: 'completed' }>, 'videos' | 'warnings'>;
type StartOptions = Parameters<OperationModel['doStart']>[0];
/** Called only for a start: an attempt that continues an operation does not need the pictures. */
type OptionsOf = () => Promise<StartOptions>;

type Times = { readonly clock: Clock; readonly pollMs: number };

/** Timeout of one status request, and maximum time without a response, in milliseconds. */
const [pollTimeoutMs, maxOutageMs] = [30_000, 1_800_000];
/** Statuses that a repeated request would receive again. */
const finalStatuses = [400, 401, 402, 403, 404, 410, 422];
/** How many milliseconds an aborted attempt waits for the start of its operation. */
const graceMs = 800;

/** Makes a video by an operation of the provider: continues that of an earlier attempt, or starts one. */
export async function operate(model: OperationModel, optionsOf: OptionsOf, run: VideoRun, times: Times) {
	run.signal.throwIfAborted();
	const started = startedIn(run.resume) ?? (await start(model, await optionsOf(), run, times.clock));
	const { videos, warnings } = await watch(model, started.operation, run.signal, times);
	return { videos, warnings: [...started.warnings, ...warnings] };
}

type Started = { readonly operation: JSONValue; readonly warnings: Finished['warnings'] };

/** Undefined for a token of another adapter: a new video is made. */
function startedIn(token = ''): Started | undefined {
	try {
		const { operation, warnings = [] } = JSON.parse(token) as Partial<Started>;
		return operation === undefined ? undefined : { operation, warnings };
	} catch {
		return undefined;
	}
}

/**
 * The signal does not abort the request: the provider may already have started a video, which no attempt would fetch.
 * An aborted attempt waits up to `graceMs` and writes the checkpoint.
 */
async function start(model: OperationModel, options: StartOptions, run: VideoRun, clock: Clock): Promise<Started> {
	const { signal } = new AbortController();
	const starting = (async () => {
		const { operation, warnings } = await callProvider(signal, model.provider, () => model.doStart(options));
		await run.checkpoint(JSON.stringify({ operation, warnings }));
		return { operation, warnings };
	})();
	return orAbort(run.signal, starting).catch(async (error) => {
		const late = new Promise<void>((resolve) => clock.after(graceMs, resolve));
		if (run.signal.aborted) await Promise.race([late, starting.catch(() => {})]);
		throw error;
	});
}

async function watch(model: OperationModel, operation: JSONValue, signal: AbortSignal, { clock, pollMs }: Times) {
	for (let lastResponseAt = clock.now(); ; ) {
		const late = new AbortController();
		const stop = clock.after(pollTimeoutMs, () => late.abort());
		const abortSignal = AbortSignal.any([signal, late.signal]);
		const polling = (async () => model.doStatus({ operation, abortSignal }))();
		// A failed poll does not end the attempt: the video continues while the provider is unreachable.
		const failed = (failure: unknown) => ({ status: 'unknown' as const, failure });
		const answer = await orAbort(signal, polling).catch(failed).finally(stop);
		signal.throwIfAborted();
		if (answer.status === 'completed') return answer;
		if (answer.status === 'error') throw modelError(`The provider made no video: ${withoutUrls(answer.error)}`);
		if (answer.status === 'pending') lastResponseAt = clock.now();
		else if (finalStatuses.includes(statusOf(answer.failure)) || clock.now() - lastResponseAt >= maxOutageMs) {
			throw failureOf(answer.failure, model.provider);
		}
		await orAbort(signal, new Promise<void>((resolve) => clock.after(pollMs, resolve)));
	}
}
