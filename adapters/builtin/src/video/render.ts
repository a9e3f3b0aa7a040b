import { availableParallelism } from 'node:os';
import type { VideoRequest, VideoResult, VideoRun } from '@plinth/plugin-video/model';
import type { ImageCodec } from '@plinth/toolkit';
import { layOutCaption } from '../scene/caption.ts';
import { surfaceOf } from '../scene/stage.ts';
import { Threads, threadFile } from '../threads.ts';
import { planPath } from './camera.ts';
import { canvasOf, captionOf, partsOf } from './film.ts';
import { type Film, frameRate } from './frames.ts';
import { type Layer, layerOf } from './layer.ts';
import type { VideoJob, WorkerResult } from './worker.ts';

export type VideoThreads = Threads<VideoJob, WorkerResult, 'frame'>;

/** Creates threads that draw and encode. */
export function createVideoThreads(threads = Math.min(2, availableParallelism())): VideoThreads {
	return new Threads({ file: threadFile(import.meta.url), threads });
}

/** Frames per group. Each group starts with a key frame and is encoded on its own. */
const groupFrames = 48;

/** The surroundings of one video. */
interface Rendering extends Pick<VideoRun, 'signal' | 'seed' | 'progress'> {
	readonly threads: VideoThreads;
	readonly images: ImageCodec;
}

/** Draws the layers once, encodes the frames in groups, joins them, and makes the poster. */
export async function renderVideo(request: VideoRequest, rendering: Rendering): Promise<VideoResult> {
	const { threads, images, signal, progress } = rendering;
	const run = (job: VideoJob, onReport = (): void => {}) =>
		threads.run(job, { signal, onReport }) as Promise<Uint8Array>;
	const film = await createFilm(request, rendering);
	const { width, height, frames } = film;
	let done = 0;
	const groups = Array.from({ length: Math.ceil(frames / groupFrames) }, (_, i) => {
		const [start, count] = [i * groupFrames, Math.min(groupFrames, frames - i * groupFrames)];
		return run({ kind: 'group', film, start, count }, () => progress(++done / frames));
	});
	const encoded = await Promise.all(groups);
	const data = await run({ kind: 'still', film, index: Math.floor(frames / 2) });
	const poster = await images.encode({ width, height, data }, { format: 'webp', quality: 86 }, signal);
	// Loaded with the first video: a server starts faster without it.
	const { joinGroups } = await import('./mux.ts');
	const body = await joinGroups(encoded);
	signal.throwIfAborted();
	const { warnings } = layOutCaption(captionOf(request), surfaceOf(request.size));
	return {
		body,
		mediaType: 'video/mp4',
		poster: { body: poster, mediaType: 'image/webp' },
		...(warnings.length > 0 && { warnings }),
	};
}

async function createFilm(request: VideoRequest, { threads, images, signal, seed }: Rendering): Promise<Film> {
	const { prompt, seconds, size, reference, remixOf } = request;
	const bytes = await reference?.bytes();
	const box = { ...canvasOf(size, 1), mode: 'cover' } as const;
	const pictures = bytes ? [layerOf(await images.fit(bytes, box, signal))] : [];
	const parts = partsOf(request, seed);
	const drawn = (await threads.run({ kind: 'layers', parts }, { signal })) as readonly Layer[];
	const path = planPath(`${prompt} ${remixOf?.prompt ?? ''}`, seed);
	return { ...size, frames: Math.round(seconds * frameRate), path, layers: [...pictures, ...drawn] };
}
