import { createHash } from 'node:crypto';
import { defineBackend, mediaTypeOf } from '@plinth/core';
import { type FileSource, mediaServices, type RemoteImages, type SourceFile } from '@plinth/toolkit';
import { z } from 'zod';

/** Contents by file id or URL. */
type Contents = Readonly<Record<string, Uint8Array | string>>;

/**
 * A backend with files of the tenant `alice`, by id. It reads `contents` at each call. The file `file-1` is called
 * `file-1.txt`.
 */
export function storedFiles(contents: Contents) {
	const source: FileSource = {
		async open(tenant, id) {
			const content = Object.hasOwn(contents, id) ? contents[id] : undefined;
			return tenant === 'alice' && content !== undefined ? sourceFile(id, content) : null;
		},
	};
	return defineBackend({
		name: 'storedFiles',
		provides: mediaServices.files,
		config: z.strictObject({}),
		create: () => source,
	})();
}

/** A backend with images by URL. Any other URL throws an error. */
export function webPictures(contents: Contents) {
	const remote: RemoteImages = {
		async fetch(url, param, { keep }) {
			const content = contents[url];
			if (content === undefined) throw new Error(`${param}: ${url} should not be requested`);
			return keep(streamOf(Buffer.from(content)), { filename: '', maxBytes: Infinity });
		},
	};
	return defineBackend({
		name: 'webPictures',
		provides: mediaServices.remoteImages,
		config: z.strictObject({}),
		create: () => remote,
	})();
}

async function sourceFile(id: string, content: Uint8Array | string): Promise<SourceFile> {
	const bytes = Buffer.from(content);
	return {
		id,
		filename: `${id}.txt`,
		size: bytes.length,
		mediaType: await mediaTypeOf(bytes),
		sha256: createHash('sha256').update(bytes).digest('hex'),
		stream: () => streamOf(bytes),
	};
}

async function* streamOf(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
	yield bytes;
}
