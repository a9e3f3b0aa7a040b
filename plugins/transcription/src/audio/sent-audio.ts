import { abandon, invalidValue, type UploadedFile, unsupportedValue, untilAborted } from '@plinth/core';
import type { AudioContainer, AudioDecoder, AudioFile, DecodedAudio } from '../model.ts';
import { containerOf, mediaTypes } from './container.ts';
import { resampled } from './resample.ts';
import { isPlausibleRate, readWavInfo, type WavInfo, wavSamples } from './wav.ts';

/** Dependencies of reading audio. */
export interface AudioTools {
	readonly decoder: AudioDecoder | undefined;
	/** Maximum seconds that are decoded. */
	readonly maxSeconds: number;
}

/** A checked file of a request. */
export interface CheckedAudio {
	readonly upload: UploadedFile;
	/** The parameter that errors name: `file`. */
	readonly param: string;
	readonly container: AudioContainer;
	/** The header of a WAV file. */
	readonly wav: WavInfo | undefined;
}

/** A file for one call of a model. The seconds of a file that is not WAV are known when it has been decoded. */
export type SentAudio = AudioFile & { seconds(): number | undefined };

/** Checks a file by its first bytes, and a WAV file by its header. Throws 400 errors that name `param`. */
export async function checkAudio(upload: UploadedFile, param: string): Promise<CheckedAudio> {
	const container = await containerOf(upload.path);
	if (!container) {
		throw invalidValue(param, `${param}: this is not audio. Send WAV, MP3, MP4 (M4A), Ogg, FLAC or WebM.`);
	}
	const wav = container === 'wav' ? await readWavInfo(upload.path) : undefined;
	if (container === 'wav' && !wav) {
		throw invalidValue(param, `${param}: the WAV file is damaged, has no samples, or has more than 8 channels.`);
	}
	return { upload, param, container, wav };
}

/** The file for one call of a model. Reading ends when `signal` aborts. */
export function sentAudio({ upload, container, wav }: CheckedAudio, tools: AudioTools, signal: AbortSignal): SentAudio {
	const { path, size } = upload;
	const decoder = tools.decoder?.containers.includes(container) ? tools.decoder : undefined;
	let seconds = wav?.read && wav.frames / wav.sampleRate;
	const decode = async (sampleRate: number): Promise<DecodedAudio> => {
		if (wav?.read) return { sampleRate: wav.sampleRate, samples: wavSamples(path, wav, wav.read) };
		if (!decoder) throw unsupportedValue('file', noDecoder);
		const decoded = await decoder.decode({ container, path }, sampleRate, signal);
		if (isPlausibleRate(decoded.sampleRate)) return decoded;
		abandon(decoded.samples[Symbol.asyncIterator]());
		throw invalidValue('file', `The file declares ${decoded.sampleRate} samples per second. Convert it to 16000.`);
	};
	return {
		...{ container, mediaType: mediaTypes[container], name: `audio.${container}`, size, path },
		open: () => untilAborted(upload.stream(), signal),
		async *samples(sampleRate) {
			let count = 0;
			for await (const chunk of resampled(await decode(sampleRate), sampleRate)) {
				signal.throwIfAborted();
				count += chunk.length;
				if (count > tools.maxSeconds * sampleRate) {
					throw invalidValue('file', `The audio is longer than ${tools.maxSeconds} seconds. Split it.`);
				}
				yield chunk;
			}
			seconds ??= count / sampleRate;
		},
		seconds: () => seconds,
	};
}

const noDecoder =
	'This server decodes only WAV with uncompressed samples for the model. Send that, or add audioDecoder of ' +
	"@plinth/audio to the server's backends.";
