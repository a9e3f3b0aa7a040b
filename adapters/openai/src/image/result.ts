import { modelError } from '@plinth/core';
import { type ImageResult, type ImageUsage, type MadeImage, pictureTypeOf } from '@plinth/plugin-image/model';
import type { Upstream } from '../upstream/client.ts';
import { invalidResponse, knownError } from '../upstream/failure.ts';
import { type LongJson, longJson } from '../upstream/long-json.ts';
import { members, reportedErrorIn } from '../upstream/reported-error.ts';
import type { UpstreamResponse } from '../upstream/response.ts';

/** Maximum bytes of one picture. */
export const pictureBytes = 52_428_800;
/** Maximum bytes of one picture as base64, and of the JSON around it. */
export const base64Bytes = Math.ceil(pictureBytes / 3) * 4 + 1_048_576;

/** Maximum bytes of a complete response with any number of pictures. It is held in memory. */
const responseBytes = 268_435_456;

/** Dependencies of reading results. */
export interface ResultTools {
	readonly upstream: Upstream;
	readonly signal: AbortSignal;
}

/** Reads `{ data: [{ b64_json | url, revised_prompt }] }`. URLs are fetched at once, because they expire. */
export async function wholeResult(answer: UpstreamResponse, count: number, tools: ResultTools): Promise<ImageResult> {
	const json = longJson(await answer.bytes(Math.min(count * base64Bytes, responseBytes)), answer.where);
	const { data, error, filtered_count: filtered, ...rest } = members(json.value);
	if (error) throw failureIn(json.value, answer);
	if (!Array.isArray(data)) throw invalidResponse(answer.where, 'sent no list of pictures');
	const images: MadeImage[] = [];
	for (const item of data.slice(0, count)) images.push(await pictureIn(item, json, answer, tools));
	const withheld = count - images.length;
	return {
		images,
		...(withheld > 0 && filtered === withheld ? { filtered: withheld } : {}),
		...qualityAndUsage(rest),
	};
}

/** The picture of an entry in `data`, decoded or fetched. */
export async function pictureIn(
	item: unknown,
	json: LongJson,
	{ where }: UpstreamResponse,
	tools: ResultTools,
): Promise<MadeImage> {
	const { b64_json: base64, url, revised_prompt: revised } = members(item);
	const body = (await json.bytes(base64)) ?? (await download(json, url, tools));
	const mediaType = body && pictureTypeOf(body);
	if (!body || !mediaType) throw invalidResponse(where, 'sent something else than a PNG, JPEG or WebP picture');
	const revisedPrompt = json.text(revised);
	return { body, mediaType, ...(revisedPrompt ? { revisedPrompt } : {}) };
}

/** The coded error for an error inside a response. */
export function failureIn(value: unknown, { where, scrub }: UpstreamResponse): Error {
	const reported = reportedErrorIn(value, scrub);
	const cause = new Error(`${where} failed: ${reported.text}`);
	return knownError(reported, cause) ?? modelError('The model failed while it made the picture.', cause);
}

/** The quality and the usage of a response. */
export function qualityAndUsage(rest: Readonly<Record<string, unknown>>): Pick<ImageResult, 'quality' | 'usage'> {
	const { quality } = rest;
	const usage = usageOf(rest.usage);
	return {
		...(quality === 'low' || quality === 'medium' || quality === 'high' ? { quality } : {}),
		...(usage ? { usage } : {}),
	};
}

async function download(json: LongJson, url: unknown, { upstream, signal }: ResultTools): Promise<Buffer | undefined> {
	const address = json.text(url);
	if (!address) return undefined;
	if (address.startsWith('data:')) return json.bytes(url);
	return (await upstream.fetch(address, signal)).bytes(pictureBytes);
}

function usageOf(value: unknown): ImageUsage | undefined {
	const { input_tokens: input, output_tokens: output, input_tokens_details: details } = members(value);
	const { text_tokens: text = input, image_tokens: image = 0 } = members(details);
	const usage = { inputTextTokens: text, inputImageTokens: image, outputTokens: output };
	const isComplete = Object.values(usage).every((each) => Number.isSafeInteger(each) && Number(each) >= 0);
	return isComplete ? (usage as ImageUsage) : undefined;
}
