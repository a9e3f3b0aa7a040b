import type { VideoRequest, VideoResult, VideoRun } from '@plinth/plugin-video/model';
import type { ImageCodec } from '@plinth/toolkit';
import { layOutCaption } from '../scene/caption.ts';
import { surfaceOf } from '../scene/stage.ts';
import { planPath } from './camera.ts';
import { canvasOf, captionOf, partsOf } from './film.ts';
import { frameRate } from './frame-rate.ts';
import type { VideoThreads } from './threads.ts';

/** The parameters of one video besides its request. */
interface Rendering extends Pick<VideoRun, 'signal' | 'seed' | 'progress'> {
	readonly threads: VideoThreads;
	readonly images: ImageCodec;
}

/** Makes a video in a thread, with a poster of its middle frame and a sheet of its frames. */
export async function renderVideo(request: VideoRequest, rendering: Rendering): Promise<VideoResult> {
	const { threads, images, signal, seed, progress } = rendering;
	const { prompt, seconds, size, reference, remixOf } = request;
	const bytes = await reference?.bytes();
	const picture = bytes && (await images.fit(bytes, { ...canvasOf(size, 1), mode: 'cover' }, signal));
	const frames = Math.round(seconds * frameRate);
	const path = planPath(`${prompt} ${remixOf?.prompt ?? ''}`, seed);
	const job = { ...size, frames, path, picture, parts: partsOf(request, seed) };
	let done = 0;
	const { body, still, sheet } = await threads.run(job, { signal, onReport: () => progress(++done / frames) });
	const poster = await images.encode({ ...size, data: still }, { format: 'webp', quality: 86 }, signal);
	const spritesheet = await images.encode(sheet, { format: 'jpeg', quality: 80 }, signal);
	const { warnings } = layOutCaption(captionOf(request), surfaceOf(size));
	return {
		body,
		mediaType: 'video/mp4',
		poster: { body: poster, mediaType: 'image/webp' },
		spritesheet: { body: spritesheet, mediaType: 'image/jpeg' },
		...(warnings.length > 0 && { warnings }),
	};
}
