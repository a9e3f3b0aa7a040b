import { defineModel, services, unsupportedValue } from '@plinth/core';
import { type AudioFormat, type SpeechModel, type SpeechRequest, speechModels } from '@plinth/plugin-speech/model';
import { z } from 'zod';
import { allowsPassthrough, connectionOptions, forwardOption } from '../options.ts';
import type { Upstream } from '../upstream/client.ts';
import { brokenAnswer } from '../upstream/failure.ts';
import { openUpstream } from '../upstream/open.ts';
import { type Passthrough, passthroughTo } from '../upstream/passthrough.ts';
import { type Fields, withExtras } from '../upstream/request.ts';
import { audioOf } from './audio.ts';
import { type SpeechDialect, speechDialects } from './dialects.ts';
import { passthroughFormat, passthroughFormats } from './passthrough-rules.ts';

const config = z.strictObject({
	...connectionOptions(speechDialects, { dialect: 'openai', timeoutSeconds: 300 }),
	...forwardOption,
	/** The formats that the server makes; those of the dialect unless set. */
	formats: z
		.array(z.enum(['mp3', 'opus', 'aac', 'flac', 'wav', 'pcm']))
		.min(1)
		.optional(),
	/** Samples per second of the server's `pcm`, which has one channel of 16 bits. */
	sampleRate: z.coerce.number<number | string>().int().min(8_000).max(192_000).default(24_000),
	/** The voices that there are. Unless set, any name is passed on. */
	voices: z.array(z.string().min(1)).min(1).optional(),
});

/** Client parameters that a refusal may name. */
const params: ReadonlySet<string> = new Set(['input', 'voice', 'response_format', 'speed', 'instructions']);

/** A speech model behind `/audio/speech`. Audio is passed on as it comes, under the name of what it is. */
export const openaiSpeech = defineModel({
	kind: speechModels,
	name: 'openai.speech',
	description: 'A model on another server, asked through its OpenAI-compatible API.',
	ownedBy: 'openai-compatible',
	config,
	needs: { clock: services.clock },
	create(context): SpeechModel {
		const { config, id } = context;
		const { voices, sampleRate, body: extras, model = id } = config;
		const dialect: SpeechDialect = speechDialects[config.dialect];
		const formats: readonly AudioFormat[] = config.formats ?? dialect.formats;
		const upstream = openUpstream(context);
		const isAllowed = dialect.passthrough && allowsPassthrough(config);
		const passthrough = isAllowed ? passthroughOf(upstream, formats) : undefined;
		return {
			apiVersion: 1,
			...(voices ? { voices: () => voices } : {}),
			...(passthrough ? { forward: (raw) => passthrough.get(passthroughFormat(raw, voices))?.(raw, model) } : {}),
			async speak(request, { signal }) {
				signal.throwIfAborted();
				const format = formatToAsk(request.format, formats);
				const answer = await upstream.send({
					method: 'POST',
					path,
					body: { json: withExtras(wireRequest(request, { model, format, dialect }), extras) },
					params,
					signal,
				});
				if (/^text\/|[/+](?:json|xml|html)$/.test(answer.mediaType)) {
					answer.discard();
					throw brokenAnswer(answer.where, `sent ${answer.mediaType} in place of audio`);
				}
				const made = await audioOf(answer, { wanted: request.format, format, sampleRate });
				return { ...made, warnings: ignoredOptions(request, dialect) };
			},
		};
	},
});

const path = '/audio/speech';

/** Audio that passes through has the type that its server gives it: each format accepts its own. */
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

/** The format that is wanted, or samples, out of which others can be made. */
function formatToAsk(wanted: AudioFormat, formats: readonly AudioFormat[]): AudioFormat {
	const found = [wanted, 'pcm', 'wav'].find((each) => formats.includes(each as AudioFormat));
	if (found) return found as AudioFormat;
	throw unsupportedValue('response_format', `This model makes ${formats.join(', ')} only.`);
}

interface Wire {
	readonly model: string;
	readonly format: AudioFormat;
	readonly dialect: SpeechDialect;
}

function wireRequest(request: SpeechRequest, { model, format, dialect }: Wire): Fields {
	const { input, voice, speed, instructions } = request;
	const isPlain = format === 'pcm' || format === 'wav';
	return {
		model,
		input,
		voice,
		response_format: format,
		speed: speed === 1 ? undefined : speed,
		instructions: dialect.instructions ? instructions : undefined,
		// It streams at its own tempo only.
		stream_format: dialect.streamsOnDemand && isPlain && speed === 1 ? 'audio' : undefined,
	};
}

function ignoredOptions({ instructions }: SpeechRequest, dialect: SpeechDialect): readonly string[] {
	return instructions === undefined || dialect.instructions
		? []
		: ['instructions: the server of the model does not know them.'];
}
