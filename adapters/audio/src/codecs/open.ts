import type { EncodingTask } from '../messages.ts';
import type { Codec } from './codec.ts';

/** Starts an encoding or a decoding. The library of a format is loaded on first use. */
export async function openCodec(settings: EncodingTask['settings']): Promise<Codec> {
	if ('path' in settings) return (await import('./decoding.ts')).openDecoding(settings);
	switch (settings.format) {
		case 'mp3':
			return (await import('./mp3.ts')).openMp3(settings);
		case 'opus':
			return (await import('./opus.ts')).openOpus(settings);
		case 'aac':
			return (await import('./aac.ts')).openAac(settings);
		case 'flac':
			return (await import('./flac.ts')).openFlac(settings);
	}
}
