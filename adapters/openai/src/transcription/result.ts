import { modelError } from '@plinth/core';
import type { Transcription } from '@plinth/plugin-transcription/model';
import { z } from 'zod';
import { invalidResponse, knownError } from '../upstream/failure.ts';
import { members, reportedErrorIn } from '../upstream/reported-error.ts';
import type { UpstreamResponse } from '../upstream/response.ts';
import { eventsOf } from '../upstream/sse.ts';
import { languageCode } from './language.ts';

/** Maximum bytes of a response, and of one event. */
const maxBytes = 33_554_432;

const count = z.int().min(0);
const times = { start: z.number().min(0), end: z.number().min(0) };
const segment = z.object({
	...times,
	text: z.string(),
	avg_logprob: z.number().optional().catch(undefined),
	no_speech_prob: z.number().optional().catch(undefined),
});
const usage = z.union([
	z.object({ input_tokens: count, output_tokens: count }).transform((tokens) => ({
		usage: { inputTokens: tokens.input_tokens, outputTokens: tokens.output_tokens },
	})),
	z.object({ seconds: z.number().min(0) }),
]);

/** A response. Only its text is required. Other members are left out when they are invalid. */
const wire = z.object({
	text: z.string(),
	language: z.string().transform(languageCode).optional().catch(undefined),
	duration: z.number().positive().optional().catch(undefined),
	segments: z.array(segment).optional().catch(undefined),
	words: z
		.array(z.object({ ...times, word: z.string() }))
		.optional()
		.catch(undefined),
	usage: usage.optional().catch(undefined),
});

/** Reads a response in `json` or `verbose_json`. Throws `E_MODEL_FAILED` for a response without a text. */
export async function wholeResult(answer: UpstreamResponse): Promise<Transcription> {
	const { success, data, error } = wire.safeParse(await answer.json(maxBytes));
	if (!success) throw invalidResponse(answer.where, 'sent no text', error);
	const { text, language, duration: seconds, words } = data;
	const segments = data.segments?.map(({ avg_logprob: averageLogprob, no_speech_prob, ...rest }) => {
		return { ...rest, averageLogprob, noSpeechProbability: no_speech_prob };
	});
	return { text, language, segments, words, ...data.usage, ...(seconds === undefined ? {} : { seconds }) };
}

/**
 * Reads events: OpenAI's `transcript.text.…`, or vLLM's chunks, which have the form of chat chunks. Throws
 * `E_MODEL_FAILED` when the events end too early.
 */
export async function streamedResult(answer: UpstreamResponse, onDelta: (text: string) => void) {
	let text = '';
	let counted: z.output<typeof usage> | undefined;
	let isDone = false;
	for await (const { data } of eventsOf(answer, maxBytes)) {
		const line = data.toString();
		isDone ||= line === '[DONE]';
		if (isDone) break;
		const event = parsed(line, answer);
		counted = usage.safeParse(event.usage).data ?? counted;
		isDone = event.type === 'transcript.text.done';
		if (isDone && typeof event.text === 'string') text = event.text;
		const piece = isDone ? undefined : pieceOf(event);
		if (typeof piece !== 'string') continue;
		text += piece;
		onDelta(piece);
	}
	if (!isDone) throw invalidResponse(answer.where, 'ended before its answer was complete');
	return { text, ...counted } satisfies Transcription;
}

/** The text of an event in either form. */
function pieceOf({ type, delta, choices }: Readonly<Record<string, unknown>>): unknown {
	if (type === 'transcript.text.delta') return delta;
	return Array.isArray(choices) ? members(members(choices[0]).delta).content : undefined;
}

/** The members of an event. Throws when it reports an error, or is no JSON. */
function parsed(line: string, { where, scrub }: UpstreamResponse): Readonly<Record<string, unknown>> {
	let event: Readonly<Record<string, unknown>>;
	try {
		event = members(JSON.parse(line));
	} catch (error) {
		throw invalidResponse(where, 'sent an event that is no JSON', error);
	}
	if ((event.error ?? null) === null && event.type !== 'error') return event;
	const reported = reportedErrorIn(event, scrub);
	const cause = new Error(`${where} failed during its answer: ${reported.text}`);
	throw knownError(reported, cause) ?? modelError('The model failed while it transcribed.', cause);
}
