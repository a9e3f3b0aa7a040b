import type { MediaInput, VideoRequest } from '@plinth/plugin-video/model';
import { type Fields, type FormPart, formFields, type RequestBody, withExtras } from '../upstream/request.ts';
import type { VideoDialect } from './dialects.ts';

/** Inputs of the translation. */
export interface VideoWire {
	readonly model: string;
	readonly dialect: VideoDialect;
	readonly seed: number;
	/** Members that the config adds to every request. */
	readonly extras: Fields;
}

/** Parameters of the client that an error may name. */
export const videoParams: ReadonlySet<string> = new Set(['prompt', 'seconds', 'size', 'input_reference']);

/** Frames per second, unless the config sets `fps`. */
const frameRate = 24;

/** The request body for the server. */
export async function wireRequest(request: VideoRequest, wire: VideoWire): Promise<RequestBody> {
	const { dialect, extras } = wire;
	if (dialect.create === 'sync') return { json: withExtras(await syncFields(request, wire), extras) };
	const { reference } = request;
	const isForm = dialect.create === 'form' || reference !== undefined;
	const fields = withExtras(jobFields(request, wire, isForm), extras);
	if (!isForm) return { json: fields };
	return { form: [...formFields(fields), ...(reference ? [await picturePart(reference)] : [])] };
}

function jobFields(
	{ prompt, seconds, size }: VideoRequest,
	{ model, dialect, seed }: VideoWire,
	isForm: boolean,
): Fields {
	return {
		model,
		prompt,
		// A number in JSON; in forms every value is text.
		seconds: isForm ? `${seconds}` : seconds,
		size: `${size.width}x${size.height}`,
		seed: dialect.seed ? seed : undefined,
	};
}

/** The members for LocalAI, which needs the number of frames. */
async function syncFields(request: VideoRequest, { model, seed, extras }: VideoWire): Promise<Fields> {
	const { prompt, seconds, size, reference } = request;
	const fps = typeof extras.fps === 'number' ? extras.fps : frameRate;
	return {
		model,
		prompt,
		seconds: `${seconds}`,
		size: `${size.width}x${size.height}`,
		width: size.width,
		height: size.height,
		fps,
		num_frames: Math.round(seconds * fps),
		// LocalAI accepts only signed 32-bit integers.
		seed: seed & 0x7fff_ffff,
		response_format: 'url',
		start_image: reference ? Buffer.from(await reference.bytes()).toString('base64') : undefined,
	};
}

async function picturePart(reference: MediaInput): Promise<FormPart> {
	const { mediaType } = reference;
	const filename = `reference.${mediaType.slice('image/'.length)}`;
	return { name: 'input_reference', file: await reference.bytes(), filename, mediaType };
}
