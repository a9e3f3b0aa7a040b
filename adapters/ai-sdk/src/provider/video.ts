import type { Experimental_VideoModelV4, SharedV4Warning } from '@ai-sdk/provider';
import {
	convertBase64ToUint8Array,
	createBinaryResponseHandler,
	createJsonResponseHandler,
	getFromApi,
	postFormDataToApi,
	postJsonToApi,
} from '@ai-sdk/provider-utils';
import { z } from 'zod';
import { type Connection, optionsOf, providerName, responseOf } from './connection.ts';

type DoStart = NonNullable<Experimental_VideoModelV4['doStart']>;
type DoStatus = NonNullable<Experimental_VideoModelV4['doStatus']>;
type StartOptions = Parameters<DoStart>[0];
type Started = Awaited<ReturnType<DoStart>>;
type File = NonNullable<StartOptions['image']>;

/** The members of the server's video object that are read here. */
const record = z.object({
	id: z.string(),
	status: z.enum(['queued', 'in_progress', 'completed', 'failed']),
	progress_percent: z.number().nullish(),
	error: z.object({ message: z.string(), code: z.string().nullish() }).nullish(),
	warnings: z.array(z.string()).nullish(),
});

/** The operation that the SDK stores for a started video. */
const operation = z.object({ id: z.string() });

/** A video model. The video of `POST /v1/videos` is the operation; its content is returned as bytes. */
export function videoModel(modelId: string, connection: Connection): Experimental_VideoModelV4 {
	return {
		specificationVersion: 'v4',
		provider: `${providerName}.video`,
		modelId,
		maxVideosPerCall: 1,
		// The server sends one signed request to this address at the end of the video.
		async handleWebhookOption({ webhook }) {
			const { url: webhookUrl, received } = await webhook();
			return { webhookUrl, received };
		},
		doStart: (options) => start(modelId, connection, options),
		doStatus: (options) => status(modelId, connection, options),
	};
}

async function start(modelId: string, connection: Connection, options: StartOptions): Promise<Started> {
	const { prompt, resolution, duration, webhookUrl, providerOptions, headers, abortSignal } = options;
	const { image, warnings } = pictureOf(options);
	const fields = {
		model: modelId,
		prompt,
		size: resolution,
		seconds: duration === undefined ? undefined : `${duration}`,
		callback_url: webhookUrl,
		...optionsOf(providerOptions),
	};
	const request = {
		...connection.to('/videos', headers, abortSignal),
		successfulResponseHandler: createJsonResponseHandler(record),
	};
	const body = image?.type === 'url' ? { ...fields, input_reference: { image_url: image.url } } : fields;
	const { value, responseHeaders } =
		image?.type === 'file'
			? await postFormDataToApi({ ...request, formData: formOf(fields, image) })
			: await postJsonToApi({ ...request, body });
	return {
		operation: { id: value.id },
		warnings: [...warnings, ...unsupported(options)],
		response: responseOf(modelId, responseHeaders),
	};
}

async function status(
	modelId: string,
	connection: Connection,
	{ operation: started, headers, abortSignal }: Parameters<DoStatus>[0],
): Promise<Awaited<ReturnType<DoStatus>>> {
	const path = `/videos/${encodeURIComponent(operation.parse(started).id)}`;
	const { value, responseHeaders } = await getFromApi({
		...connection.to(path, headers, abortSignal),
		validateUrl: false,
		successfulResponseHandler: createJsonResponseHandler(record),
	});
	const { status, error, warnings, progress_percent: progress } = value;
	const response = responseOf(modelId, responseHeaders);
	if (status === 'failed') return { status: 'error', error: error?.message ?? 'The video failed.', response };
	if (status !== 'completed') {
		const providerMetadata = { [providerName]: { status, progress: progress ?? 0 } };
		return { status: 'pending', providerMetadata, response };
	}
	const content = await getFromApi({
		...connection.to(`${path}/content`, headers, abortSignal),
		validateUrl: false,
		successfulResponseHandler: createBinaryResponseHandler(),
	});
	return {
		status: 'completed',
		videos: [{ type: 'binary', data: content.value, mediaType: 'video/mp4' }],
		warnings: (warnings ?? []).map((message) => ({ type: 'other', message })),
		response,
	};
}

/** The picture to start from. The SDK has three options for it; further pictures are not sent. */
function pictureOf({ image, frameImages = [], inputReferences = [] }: StartOptions) {
	const first = frameImages.filter(({ frameType }) => frameType === 'first_frame').map((frame) => frame.image);
	const pictures = [...(image ? [image] : []), ...first, ...inputReferences];
	const isLeftOut = frameImages.length > first.length || new Set(pictures).size > 1;
	const warnings: SharedV4Warning[] = isLeftOut
		? [{ type: 'unsupported', feature: 'frameImages', details: 'Only the picture to start from is sent.' }]
		: [];
	return { image: pictures[0], warnings };
}

function formOf(fields: Readonly<Record<string, unknown>>, { data, mediaType }: Extract<File, { type: 'file' }>) {
	const form = new FormData();
	for (const [name, value] of Object.entries(fields)) if (value !== undefined) form.set(name, String(value));
	const bytes = typeof data === 'string' ? convertBase64ToUint8Array(data) : data;
	form.set('input_reference', new Blob([bytes as Uint8Array<ArrayBuffer>], { type: mediaType }), 'reference');
	return form;
}

/** Warnings about options that the server decides itself. */
function unsupported({ n, aspectRatio, fps, seed, generateAudio }: StartOptions): SharedV4Warning[] {
	const ignored = { n: n > 1 ? n : undefined, aspectRatio, fps, seed, generateAudio };
	const names = Object.entries(ignored).flatMap(([name, value]) => (value === undefined ? [] : [name]));
	return names.map((feature) => ({ type: 'unsupported', feature, details: details[feature] ?? '' }));
}

const details: Readonly<Record<string, string>> = {
	n: 'One video is made for each call.',
	aspectRatio: 'Use resolution, such as 1280x720.',
	fps: 'The model decides it.',
	seed: 'Equal requests have equal seeds.',
	generateAudio: 'The model decides it.',
};
