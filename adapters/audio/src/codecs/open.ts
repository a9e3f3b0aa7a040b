import type { Settings } from '../messages.ts';
import type { Codec } from './codec.ts';

/** Begins an encoding. The library behind a format is loaded by the first one that needs it. */
export async function openCodec(settings: Settings): Promise<Codec> {
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
