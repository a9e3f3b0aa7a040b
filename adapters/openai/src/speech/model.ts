import { defineModel, services, unsupportedValue } from '@plinth/core';
import { type AudioFormat, type SpeechModel, type SpeechRequest, speechModels } from '@plinth/plugin-speech/model';
import { z } from 'zod';
import { allowsPassthrough, connectionOptions, forwardOption } from '../options.ts';
import type { Upstream } from '../upstream/client.ts';
import { invalidResponse } from '../upstream/failure.ts';
import { openUpstream } from '../upstream/open.ts';
import { type Passthrough, passthroughTo } from '../upstream/passthrough.ts';
import { type Fields, withExtras } from '../upstream/request.ts';
import { audioOf } from './audio.ts';
import { type SpeechDialect, speechDialects } from './dialects.ts';
import { passthroughFormat, passthroughFormats } from './passthrough-rules.ts';

const config = z.strictObject({
	...connectionOptions(speechDialects, { dialect: 'openai', timeoutSeconds: 300 }),
	...forwardOption,
	/** The formats that the server makes. Default: those of the dialect. */
	formats: z
		.array(z.enum(['mp3', 'opus', 'aac', 'flac', 'wav', 'pcm']))
		.min(1)
		.optional(),
	/** Samples per second of the server's `pcm`, which is mono with 16 bits. */
	sampleRate: z.coerce.number<number | string>().int().min(8_000).max(192_000).default(24_000),
	/** The available voices. Unless set, every name is accepted. */
	voices: z.array(z.string().min(1)).min(1).optional(),
	/** The languages that the model speaks, ISO 639-1, for `/v1/models`. */
	languages: z.array(z.string().min(1)).min(1).optional(),
});

/** Parameters of the client that an error may name. */
const params: ReadonlySet<string> = new Set(['input', 'voice', 'response_format', 'speed', 'instructions']);

/** A speech model on a server with `/audio/speech`. Audio is streamed; its bytes decide the media type. */
export const openaiSpeech = defineModel({
	kind: speechModels,
	name: 'openai.speech',
	description: 'A model on another server, called through its OpenAI-compatible API.',
	ownedBy: 'openai-compatible',
	config,
	needs: { clock: services.clock },
	create(context): SpeechModel {
		const { config, id } = context;
		const { voices, languages, sampleRate, body: extras, model = id } = config;
		const dialect: SpeechDialect = speechDialects[config.dialect];
		const formats: readonly AudioFormat[] = config.formats ?? dialect.formats;
		const upstream = openUpstream(context);
		const isAllowed = dialect.passthrough && allowsPassthrough(config);
		const passthrough = isAllowed ? passthroughOf(upstream, formats) : undefined;
		return {
			apiVersion: 1,
			...upstream.unloading,
			// PCM samples are extracted from WAV.
			abilities: { languages, formats: formats.includes('wav') ? [...formats, 'pcm'] : formats },
			...(voices ? { voices: () => voices } : {}),
			...(passthrough ? { forward: (raw) => passthrough.get(passthroughFormat(raw, voices))?.(raw, model) } : {}),
			async speak(request, { signal }) {
				signal.throwIfAborted();
				const format = formatToRequest(request.format, formats);
				const answer = await upstream.send({
					method: 'POST',
					path,
					body: { json: withExtras(wireRequest(request, { model, format, dialect }), extras) },
					params,
					signal,
				});
				if (/^text\/|[/+](?:json|xml|html)$/.test(answer.mediaType)) {
					answer.discard();
					throw invalidResponse(answer.where, `sent ${answer.mediaType} in place of audio`);
				}
				const made = await audioOf(answer, { clientFormat: request.format, format, sampleRate });
				return { ...made, warnings: ignoredOptions(request, dialect) };
			},
		};
	},
});

const path = '/audio/speech';

/** One passthrough per format, which accepts only the media types of that format. */
function passthroughOf(
	upstream: Upstream,
	formats: readonly AudioFormat[],
): ReadonlyMap<AudioFormat | undefined, Passthrough> {
	const made = [...passthroughFormats].filter(([format]) => formats.includes(format));
	return new Map(
		made.map(([format, types]) => {
			const options = { path, accept: '*/*', types, params, needsLength: format === 'wav' };
			return [format, passthroughTo(upstream, options)];
		}),
	);
}

/** The format that the client requested, else `pcm` or `wav`, from which the plugin makes the others. */
function formatToRequest(clientFormat: AudioFormat, formats: readonly AudioFormat[]): AudioFormat {
	const format = [clientFormat, 'pcm', 'wav'].find((each) => formats.includes(each as AudioFormat));
	if (format) return format as AudioFormat;
	throw unsupportedValue('response_format', `This model makes ${formats.join(', ')} only.`);
}

interface Wire {
	readonly model: string;
	readonly format: AudioFormat;
	readonly dialect: SpeechDialect;
}

function wireRequest(request: SpeechRequest, { model, format, dialect }: Wire): Fields {
	const { input, voice, isCustomVoice, speed, instructions } = request;
	const isPlain = format === 'pcm' || format === 'wav';
	return {
		model,
		input,
		voice: isCustomVoice && dialect.customVoices ? { id: voice } : voice,
		response_format: format,
		speed: speed === 1 ? undefined : speed,
		instructions: dialect.instructions ? instructions : undefined,
		// The server streams only at normal speed.
		stream_format: dialect.streamsOnDemand && isPlain && speed === 1 ? 'audio' : undefined,
	};
}

function ignoredOptions({ instructions }: SpeechRequest, dialect: SpeechDialect): readonly string[] {
	return instructions === undefined || dialect.instructions ? [] : ['instructions: this model does not support them.'];
}
