import { send } from '../../../api.ts';
import { blobOf } from '../../../blob.ts';
import { incompleteStream, type Run } from '../desk/run.ts';

/** A picture that is shown. */
export interface Picture {
	readonly address: string;
	readonly blob: Blob;
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
	const last = run.result.value?.pictures.at(-1);
	if (!last || last.isPartial) throw incompleteStream();
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
	return blob && { address: run.addressOf(blob), blob, isPartial, revisedPrompt };
}

/** Downloads a linked picture from the page's host: only the path and query of the link are used. */
async function downloaded(url: string, signal: AbortSignal): Promise<Blob> {
	const { pathname, searchParams } = new URL(url);
	const path = pathname.slice(Math.max(pathname.lastIndexOf('/v1/'), 0));
	return await (await send('GET', path, { query: Object.fromEntries(searchParams), signal })).blob();
}
