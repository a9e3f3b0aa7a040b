import type { Experimental_VideoModelV4, JSONValue } from '@ai-sdk/provider';
import { type Clock, modelError, orAbort } from '@plinth/core';
import type { VideoRun } from '@plinth/plugin-video/model';
import { asked, failureOf, statusOf, withoutUrls } from '../failure.ts';

/** A model whose work continues without a connection. */
export type OperationModel = Required<Pick<Experimental_VideoModelV4, 'provider' | 'doStart' | 'doStatus'>>;
type Status = Awaited<ReturnType<OperationModel['doStatus']>>;
/** What a model has made. */
export type Finished = Pick<Extract<Status, { status: 'completed' }>, 'videos' | 'warnings'>;
type StartOptions = Parameters<OperationModel['doStart']>[0];
/** Made for a start only: an attempt that continues needs no pictures. */
type OptionsOf = () => Promise<StartOptions>;

type Times = { readonly clock: Clock; readonly pollMs: number };

/** The longest time for one question, and that without an answer, in milliseconds. */
const [questionMs, outageMs] = [30_000, 1_800_000];
/** Statuses of a question that another one would have, too. */
const final = [400, 401, 402, 403, 404, 410, 422];
/** How long an aborted attempt waits for the operation that it has begun to start. */
const graceMs = 800;

/** Makes a video by an operation of the provider: continues that of an earlier attempt, or starts one. */
export async function operate(model: OperationModel, optionsOf: OptionsOf, run: VideoRun, times: Times) {
	run.signal.throwIfAborted();
	const started = startedIn(run.resume) ?? (await start(model, await optionsOf(), run, times.clock));
	const { videos, warnings } = await watch(model, started.operation, run.signal, times);
	return { videos, warnings: [...started.warnings, ...warnings] };
}

type Started = { readonly operation: JSONValue; readonly warnings: Finished['warnings'] };

/** Undefined for a token of another adapter: the video is made anew. */
function startedIn(token = ''): Started | undefined {
	try {
		const { operation, warnings = [] } = JSON.parse(token) as Partial<Started>;
		return operation === undefined ? undefined : { operation, warnings };
	} catch {
		return undefined;
	}
}

/**
 * The signal does not abort the request, because the provider may have started what nobody would fetch. An aborted
 * attempt waits a moment and writes the checkpoint.
 */
async function start(model: OperationModel, options: StartOptions, run: VideoRun, clock: Clock): Promise<Started> {
	const { signal } = new AbortController();
	const begin = async () => {
		const { operation, warnings } = await asked(signal, model.provider, () => model.doStart(options));
		await run.checkpoint(JSON.stringify({ operation, warnings }));
		return { operation, warnings };
	};
	const begun = begin();
	return orAbort(run.signal, begun).catch(async (error) => {
		const late = new Promise<void>((resolve) => clock.after(graceMs, resolve));
		if (run.signal.aborted) await Promise.race([late, begun.catch(() => {})]);
		throw error;
	});
}

async function watch(model: OperationModel, operation: JSONValue, signal: AbortSignal, { clock, pollMs }: Times) {
	for (let answeredAt = clock.now(); ; ) {
		const late = new AbortController();
		const stop = clock.after(questionMs, () => late.abort());
		const abortSignal = AbortSignal.any([signal, late.signal]);
		const question = (async () => model.doStatus({ operation, abortSignal }))();
		// A failure is a value: work goes on while its provider cannot be asked.
		const failed = (failure: unknown) => ({ status: 'unknown' as const, failure });
		const answer = await orAbort(signal, question).catch(failed).finally(stop);
		signal.throwIfAborted();
		if (answer.status === 'completed') return answer;
		if (answer.status === 'error') throw modelError(`The provider made no video: ${withoutUrls(answer.error)}`);
		if (answer.status === 'pending') answeredAt = clock.now();
		else if (final.includes(statusOf(answer.failure)) || clock.now() - answeredAt >= outageMs) {
			throw failureOf(answer.failure, model.provider);
		}
		await orAbort(signal, new Promise<void>((resolve) => clock.after(pollMs, resolve)));
	}
}
