import type { TranscriptionModelV4 } from '@ai-sdk/provider';
import { convertBase64ToUint8Array, createJsonResponseHandler, postFormDataToApi } from '@ai-sdk/provider-utils';
import { z } from 'zod';
import { type Connection, optionsOf, providerName, responseOf } from './connection.ts';

const timed = { start: z.number(), end: z.number() };

/** `json` has only the text. `verbose_json` also has the other members that the model reports. */
const answer = z.object({
	text: z.string(),
	language: z.string().nullish(),
	duration: z.number().nullish(),
	segments: z.array(z.object({ ...timed, text: z.string() })).nullish(),
	words: z.array(z.object({ ...timed, word: z.string() })).nullish(),
	usage: z.looseObject({ seconds: z.number().nullish() }).nullish(),
	warnings: z.array(z.string()).nullish(),
});

/**
 * A transcription model: `POST /v1/audio/transcriptions`. `providerOptions.plinth` has `language`, `prompt`,
 * `temperature`, and other members that the server supports.
 */
export function transcriptionModel(modelId: string, connection: Connection): TranscriptionModelV4 {
	return {
		specificationVersion: 'v4',
		provider: `${providerName}.transcription`,
		modelId,
		async doGenerate({ audio, mediaType, timestampGranularities = [], providerOptions, headers, abortSignal }) {
			const formData = formOf({
				model: modelId,
				response_format: timestampGranularities.length > 0 ? 'verbose_json' : 'json',
				timestamp_granularities: timestampGranularities,
				...optionsOf(providerOptions),
			});
			const bytes = typeof audio === 'string' ? convertBase64ToUint8Array(audio) : audio;
			const name = `audio.${extensions[mediaType] ?? mediaType.split('/')[1] ?? 'wav'}`;
			formData.set('file', new File([bytes as Uint8Array<ArrayBuffer>], name, { type: mediaType }));
			const { value, responseHeaders, rawValue } = await postFormDataToApi({
				...connection.to('/audio/transcriptions', headers, abortSignal),
				formData,
				successfulResponseHandler: createJsonResponseHandler(answer),
			});
			const { text, language, duration, segments, words, usage } = value;
			const times = ({ start, end }: { start: number; end: number }) => ({ startSecond: start, endSecond: end });
			return {
				text,
				segments: (segments ?? []).map((each) => ({ ...times(each), text: each.text })),
				...(words ? { words: words.map((each) => ({ ...times(each), text: each.word })) } : {}),
				language: language ? codeOf(language) : undefined,
				durationInSeconds: duration ?? usage?.seconds ?? undefined,
				warnings: (value.warnings ?? []).map((message) => ({ type: 'other', message })),
				response: { ...responseOf(modelId, responseHeaders), headers: responseHeaders ?? {}, body: rawValue },
			};
		},
	};
}

/** The ISO 639-1 code of a language, for which `verbose_json` has its English name. Undefined for an unknown name. */
function codeOf(language: string): string | undefined {
	if (/^[a-z]{2}$/.test(language)) return language;
	const names = new Intl.DisplayNames('en', { type: 'language' });
	const letters = [...'abcdefghijklmnopqrstuvwxyz'];
	const codes = letters.flatMap((first) => letters.map((second) => first + second));
	return codes.find((code) => names.of(code)?.toLowerCase() === language.toLowerCase());
}

/** Where the extension is not the second half of the media type. */
const extensions: Readonly<Record<string, string>> = {
	'audio/mpeg': 'mp3',
	'audio/x-wav': 'wav',
	'audio/mp4': 'm4a',
	'audio/x-m4a': 'm4a',
	'audio/opus': 'ogg',
};

/** Fields of a form. A list becomes a field `name[]` for each value. */
function formOf(fields: Readonly<Record<string, unknown>>): FormData {
	const form = new FormData();
	for (const [name, value] of Object.entries(fields)) {
		if (Array.isArray(value)) for (const each of value) form.append(`${name}[]`, String(each));
		else if (value !== undefined && value !== null) form.set(name, String(value));
	}
	return form;
}
