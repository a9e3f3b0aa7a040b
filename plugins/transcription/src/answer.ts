import { type Call, type Clock, invalidValue, type Models, plinthError, Reply } from '@plinth/core';
import { type FileSources, ReferencedFiles, startEventStream, withCleanup } from '@plinth/toolkit';
import { type AudioTools, checkAudio } from './audio/sent-audio.ts';
import type { TranscriptionModel, TranscriptionRequest } from './model.ts';
import type { TranscriptionOptions } from './options.ts';
import { checkFormat, fitTask } from './request/abilities.ts';
import type { AnyBody } from './request/fields.ts';
import { replyWith } from './response/reply.ts';
import { transcriptEvents } from './response/stream.ts';
import { transcribe } from './transcribe.ts';

/** Dependencies of the routes. */
export interface TranscriptionContext {
	readonly options: TranscriptionOptions;
	readonly models: Models<TranscriptionModel>;
	readonly tools: AudioTools;
	readonly sources: FileSources;
	readonly clock: Clock;
}

/** Handles one request. A fallback model can take over until the response is complete or a stream has started. */
export async function answer(
	{ models, tools, sources, options, clock }: TranscriptionContext,
	body: AnyBody,
	kind: TranscriptionRequest['task'],
	call: Call,
) {
	checkFormat(body);
	const load = loaderOf(body, new ReferencedFiles(sources, call, options.maxFileBytes));
	// Before the file is read and before queueing for the model: an invalid request should not wait.
	fitTask(body, kind, models.get(body.model));
	const shared = { audio: await load(call.signal), tools, log: call.log };
	if (!body.stream) {
		return models.ask(body.model, call, async ({ id, model, signal }) => {
			const task = fitTask(body, kind, { id, model });
			return replyWith(await transcribe({ ...shared, model, task, signal }), body.response_format, task);
		});
	}
	// A failure in the first ten seconds gets its own HTTP status.
	const stream = await startEventStream(call, { clock, maxWaitMs: 10_000 }, (caller) =>
		models.ask(body.model, caller, async (modelCall) => {
			const { warnings, ...rest } = fitTask(body, kind, modelCall);
			const task = { ...rest, warnings: [...call.warnings, ...warnings] };
			const events = await transcriptEvents(modelCall.signal, (signal, onDelta) =>
				transcribe({ ...shared, model: modelCall.model, task, signal, onDelta }),
			);
			return withCleanup(events, modelCall.keepSlot());
		}),
	);
	return Reply.events(stream);
}

/** A loader of the body's file or stored file. Throws 400 errors unless there is exactly one of the two. */
function loaderOf({ file, file_id: id }: AnyBody, files: ReferencedFiles) {
	if (file && id !== undefined) throw invalidValue('file_id', 'Send exactly one of file and file_id.');
	if (file) return () => checkAudio(file, 'file');
	if (id === undefined) {
		throw plinthError('E_VALUE_MISSING', { param: 'file', message: 'file is required: the audio, or file_id.' });
	}
	const stored = files.stored(id, 'file_id');
	return async (signal: AbortSignal) => checkAudio(await stored.load(signal), 'file_id');
}
