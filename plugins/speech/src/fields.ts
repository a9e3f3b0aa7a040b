import { codePoints } from '@plinth/core';
import { z } from 'zod';
import { audioFormats } from './formats.ts';
import type { AudioFormat } from './model.ts';

const voiceId = codePoints({ min: 1, max: 256 });

/** The body of `POST /v1/audio/speech`. Unknown fields are tolerated: SDKs send extra ones. */
export function speechBody(defaultFormat: AudioFormat) {
	return z
		.object({
			model: codePoints({ min: 1, max: 256 }).meta({
				description: 'The id of a speech model; GET /v1/models lists them.',
			}),
			input: codePoints({ min: 1, max: 4096 }).meta({ description: 'The text to speak.' }),
			voice: z.union([voiceId, z.object({ id: voiceId })]).meta({
				description: 'The name of a voice, or an object with the id of a custom voice.',
			}),
			response_format: z
				.enum(audioFormats)
				.default(defaultFormat)
				.meta({
					description:
						'wav and pcm (16-bit; pcm little-endian without a header) always work; mp3, opus (Ogg), ' +
						'aac (ADTS) and flac need an encoder on the server. All are 24 kHz mono, unless the ' +
						'model encodes by itself.',
				}),
			speed: z.number().min(0.25).max(4).default(1).meta({ description: "Tempo relative to the voice's own." }),
			instructions: codePoints({ min: 0, max: 4096 })
				.meta({ description: 'How to speak, for models that support it.' })
				.optional(),
			stream_format: z.enum(['audio', 'sse']).default('audio').meta({
				description: 'audio: the bytes themselves. sse: events with base64 pieces of them.',
			}),
		})
		.meta({
			id: 'SpeechCreate',
			examples: [
				{
					model: 'builtin-speech',
					voice: 'nova',
					input: 'Good morning.',
					response_format: 'wav',
				},
			],
		});
}

/** The schema of the body. */
export type SpeechBodySchema = ReturnType<typeof speechBody>;
/** A checked body. */
export type SpeechBody = z.output<SpeechBodySchema>;
