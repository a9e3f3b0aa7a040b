import { readFile } from 'node:fs/promises';
import {
	type EncodedImage,
	type EncodeOptions,
	type FitOptions,
	type ImageCodec,
	type ImageFormat,
	mediaError,
	type RawImage,
} from '@plinth/toolkit';

const magic: Readonly<Record<ImageFormat, Buffer>> = {
	png: Buffer.from('\x89PNG\r\n\x1a\n', 'latin1'),
	jpeg: Buffer.from('\xff\xd8\xff\xe0', 'latin1'),
	webp: Buffer.from('RIFF\0\0\0\0WEBP', 'latin1'),
};

/** A decoded file of the fake codec. */
export interface Decoded extends RawImage {
	readonly format: ImageFormat;
	readonly hasAlpha: boolean;
	/** The options of its encoding. */
	readonly options: Partial<EncodeOptions>;
}

type Rgba = readonly [number, number, number, number];

/** Pixels of one colour. */
export function pixels(width: number, height: number, color: Rgba = [200, 100, 50, 255]): RawImage {
	const data = new Uint8Array(width * height * 4);
	for (let at = 0; at < data.length; at += 4) data.set(color, at);
	return { width, height, data };
}

/** A file of the fake codec: it begins with a real signature, followed by the raw pixels. */
export function file(
	format: ImageFormat,
	image: RawImage,
	part: { readonly hasAlpha?: boolean; readonly options?: Partial<EncodeOptions> } = {},
): Buffer {
	const { width, height } = image;
	const { hasAlpha = format !== 'jpeg', options = {} } = part;
	const head = Buffer.from(JSON.stringify({ width, height, hasAlpha, options }));
	const length = Buffer.alloc(4);
	length.writeUInt32BE(head.length);
	return Buffer.concat([magic[format], length, head, image.data]);
}

/** Decodes such a file; throws like a real codec. */
export function decode(bytes: Uint8Array): Decoded {
	const all = Buffer.from(bytes);
	for (const [format, start] of Object.entries(magic) as [ImageFormat, Buffer][]) {
		if (!all.subarray(0, start.length).equals(start) || all.includes('DAMAGED')) continue;
		const length = all.readUInt32BE(start.length);
		const body = start.length + 4 + length;
		const head = JSON.parse(all.toString('utf8', start.length + 4, body)) as Omit<Decoded, 'data'>;
		const data = new Uint8Array(all.subarray(body));
		if (data.length !== head.width * head.height * 4) break;
		return { ...head, format, data };
	}
	throw mediaError('E_IMAGE_UNREADABLE');
}

/** Records the calls of the fake codec, and can delay them. */
export interface FakeCodec extends ImageCodec {
	readonly calls: string[];
	/** Awaited before each encoding of pixels. */
	hold: (image: RawImage, signal?: AbortSignal) => Promise<void>;
}

/**
 * A codec for {@link file}. It resizes by nearest pixel, and the effect of options can be read back with {@link
 * decode}.
 */
export function fakeCodec(): FakeCodec {
	const read = async (image: EncodedImage) => decode('path' in image ? await readFile(image.path) : image);
	const codec: FakeCodec = {
		calls: [],
		hold: async () => {},
		async probe(image, signal) {
			signal?.throwIfAborted();
			const { format, width, height, hasAlpha } = await read(image);
			return { format, width, height, hasAlpha };
		},
		async fit(image, options, signal) {
			signal?.throwIfAborted();
			codec.calls.push(`fit ${options.mode}`);
			return fitted('data' in image ? image : await read(image), options);
		},
		async encode(image, options, signal) {
			codec.calls.push('encode');
			await codec.hold(image, signal);
			signal?.throwIfAborted();
			const isOpaque = options.opaque === true || options.format === 'jpeg';
			const image2 = isOpaque ? flat(image) : image;
			return file(options.format, image2, { hasAlpha: !isOpaque, options });
		},
		async transcode(image, { fit, ...options }, signal) {
			signal?.throwIfAborted();
			codec.calls.push('transcode');
			const decoded = await read(image);
			const sized = fit ? fitted(decoded, fit) : decoded;
			const { width, height } = sized;
			return {
				data: file(options.format, flat(sized), { hasAlpha: false, options }),
				width,
				height,
			};
		},
		composite: () => Promise.reject(new Error('not used')),
	};
	return codec;
}

function flat({ width, height, data }: RawImage): RawImage {
	return { width, height, data: data.map((value, at) => (at % 4 === 3 ? 255 : value)) };
}

/** `contain` adds the padding on the right and at the bottom. */
function fitted(image: RawImage, { width, height, mode }: FitOptions): RawImage {
	const data = new Uint8Array(width * height * 4);
	const scale = mode === 'contain' ? Math.min(width / image.width, height / image.height) : undefined;
	for (let y = 0; y < height; y++) {
		for (let x = 0; x < width; x++) {
			const fromX = Math.floor(scale ? x / scale : (x * image.width) / width);
			const fromY = Math.floor(scale ? y / scale : (y * image.height) / height);
			if (fromX >= image.width || fromY >= image.height) continue;
			const at = (fromY * image.width + fromX) * 4;
			data.set(image.data.subarray(at, at + 4), (y * width + x) * 4);
		}
	}
	return { width, height, data };
}
