import { execFile } from 'node:child_process';
import { promisify } from 'node:util';

const exec = promisify(execFile);

/** Properties of the first stream of a file, from ffprobe, which decodes and counts every frame. */
export interface Probe {
	readonly codec_name: string;
	readonly width?: number;
	readonly height?: number;
	readonly pix_fmt?: string;
	readonly sample_rate?: string;
	readonly channels?: number;
	readonly r_frame_rate: string;
	readonly nb_read_frames: string;
	/** Seconds, as text with six decimals. */
	readonly duration: string;
}

/** Probes the first stream of a file. */
export async function ffprobe(file: string): Promise<Probe> {
	const options = ['-v', 'error', '-count_frames', '-show_streams', '-of', 'json'];
	const { stdout } = await exec('ffprobe', [...options, file]);
	const [stream] = (JSON.parse(stdout) as { streams: Probe[] }).streams;
	if (stream) return stream;
	throw new Error(`ffprobe found no stream in ${file}.`);
}

/** Decodes a whole file and returns the warnings of the decoder; empty for a valid file. */
export async function decodeErrors(file: string): Promise<string> {
	const { stderr } = await exec('ffmpeg', ['-v', 'warning', '-i', file, '-f', 'null', '-']);
	return stderr;
}

/** One frame of a video as raw RGB bytes, scaled to `width` x `height`. */
export async function colourFrame(
	file: string,
	{ at, width, height }: { at: number; width: number; height: number },
): Promise<Buffer> {
	const filter = `scale=${width}:${height}:flags=area`;
	const { stdout } = await exec(
		'ffmpeg',
		[
			...['-v', 'error', '-ss', String(at), '-i', file, '-frames:v', '1'],
			...['-vf', filter, '-pix_fmt', 'rgb24', '-f', 'rawvideo', '-'],
		],
		{ encoding: 'buffer', maxBuffer: 2 ** 26 },
	);
	return stdout;
}

/** The English text that tesseract recognises in an image. `layout` is one of its page segmentation modes. */
export async function textInPicture(file: string, layout: 6 | 11): Promise<string> {
	const options = ['--psm', String(layout), '-l', 'eng'];
	// By default tesseract uses a thread per core, which takes twice as long next to other tests.
	const env = { ...process.env, OMP_THREAD_LIMIT: '1' };
	return (await exec('tesseract', [file, 'stdout', ...options], { env })).stdout;
}

/**
 * The text in one frame of a video. It is recognised in four ways, because tesseract expects scanned pages: dark on
 * light and light on dark, as one block and as scattered words.
 */
export async function textInFrame(file: string, at: number): Promise<string> {
	const readings: string[] = [];
	for (const [name, colours] of [
		['plain', 'null'],
		['negative', 'negate'],
	]) {
		const picture = `${file}.${name}.png`;
		const filter = `scale=iw*2:ih*2,${colours}`;
		await exec('ffmpeg', [
			...['-v', 'error', '-y', '-ss', String(at), '-i', file],
			...['-frames:v', '1', '-vf', filter, picture],
		]);
		for (const layout of [6, 11] as const) readings.push(await textInPicture(picture, layout));
	}
	return readings.join('\n');
}

/** The mean absolute difference of two images of the same size, 0 to 255. */
export function difference(a: Uint8Array, b: Uint8Array): number {
	if (a.length !== b.length) throw new Error('The images differ in size.');
	let sum = 0;
	// A plain loop instead of an iterator: images have millions of bytes, and tests compare hundreds of pairs.
	for (let i = 0; i < a.length; i++) sum += Math.abs((a[i] ?? 0) - (b[i] ?? 0));
	return sum / a.length;
}
