import { getBlob } from '../../../api.ts';
import { blobOf } from '../../../blob.ts';
import { incompleteStream, type Run } from '../desk/run.ts';

/** A picture that is shown. */
export interface Picture {
	readonly address: string;
	/** Absent if `address` is a link to another server. */
	readonly blob: Blob | undefined;
	/** Whether the picture is unfinished. */
	readonly isPartial: boolean;
	/** The prompt as the model understood it. */
	readonly revisedPrompt: string | undefined;
}

/** The pictures of a run by index; undefined until the first partial picture. */
export interface PicturesResult {
	readonly pictures: readonly (Picture | undefined)[];
	readonly format: string;
	readonly filtered: number;
}

interface WirePicture {
	readonly b64_json?: string;
	readonly url?: string;
	readonly revised_prompt?: string;
}

interface PictureEvent extends WirePicture {
	readonly type: string;
	readonly image_index?: number;
	readonly output_format?: string;
	readonly warnings?: readonly string[];
	readonly filtered_count?: number;
}

interface Answer {
	readonly data: readonly WirePicture[];
	readonly output_format: string;
	readonly warnings?: readonly string[];
	readonly filtered_count?: number;
}

/** Creates or edits pictures. A stream also shows unfinished ones. */
export async function makePictures(run: Run<PicturesResult>): Promise<void> {
	if (run.call.fields.stream !== true) {
		const { data, output_format, warnings, filtered_count } = (await (await run.send()).json()) as Answer;
		run.warn(warnings);
		const pictures = await Promise.all(data.map((each) => pictureOf(run, each, output_format)));
		run.result.value = { pictures, format: output_format, filtered: filtered_count ?? 0 };
		return;
	}
	for await (const event of run.events<PictureEvent>()) await addEvent(run, event);
	const result = run.result.value;
	if (!result?.pictures.some((each) => each?.isPartial === false)) throw incompleteStream();
	run.result.value = { ...result, pictures: result.pictures.map((each) => (each?.isPartial ? undefined : each)) };
}

async function addEvent(run: Run<PicturesResult>, event: PictureEvent): Promise<void> {
	const { type, image_index: index = 0, output_format: format = 'png', filtered_count = 0 } = event;
	const isPartial = type.endsWith('.partial_image');
	if (!isPartial && !type.endsWith('.completed')) return;
	run.warn(event.warnings);
	const picture = await pictureOf(run, event, format, isPartial);
	const { pictures = [], filtered = 0 } = run.result.value ?? {};
	const next = [...pictures];
	const unfinished = next[index];
	next[index] = picture;
	run.result.value = { pictures: next, format, filtered: filtered + filtered_count };
	run.release(unfinished?.address);
}

async function pictureOf(
	run: Run<PicturesResult>,
	{ b64_json: base64, url, revised_prompt: revisedPrompt }: WirePicture,
	format: string,
	isPartial = false,
): Promise<Picture | undefined> {
	const blob = base64 ? blobOf(base64, `image/${format}`) : url ? await downloaded(url, run.signal) : undefined;
	const address = blob ? run.addressOf(blob) : url;
	return address === undefined ? undefined : { address, blob, isPartial, revisedPrompt };
}

/** Downloads a picture that this server keeps, from the page's host: the link may have another name of it. */
async function downloaded(url: string, signal: AbortSignal): Promise<Blob | undefined> {
	const { pathname, searchParams } = new URL(url);
	const at = pathname.lastIndexOf('/v1/images/results/');
	if (at < 0) return undefined;
	const path = pathname.slice(at);
	return await getBlob(path, { query: Object.fromEntries(searchParams), signal });
}
