import { hash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { extname, join } from 'node:path';

/** A file of the page. */
export interface PageFile {
	readonly bytes: Uint8Array;
	readonly mediaType: string;
	/** A hash of the bytes. */
	readonly etag: string;
}

/** The page as Vite has built it. */
export interface Page {
	readonly document: PageFile;
	/** The other files by name. The name changes with the content. */
	readonly assets: ReadonlyMap<string, PageFile>;
}

/** The folder of the built page, beside `src` and `dist`. */
const folder = join(import.meta.dirname, '../static');

const mediaTypes: Readonly<Record<string, string>> = {
	'.css': 'text/css; charset=utf-8',
	'.html': 'text/html; charset=utf-8',
	'.js': 'text/javascript; charset=utf-8',
	'.svg': 'image/svg+xml',
};

/** Reads the built page into memory, about 200 KB. */
export async function readPage(): Promise<Page> {
	const assets = join(folder, 'console');
	const names = await readdir(assets);
	const files = await Promise.all(names.map(async (name) => [name, await readPageFile(join(assets, name))] as const));
	return { document: await readPageFile(join(folder, 'index.html')), assets: new Map(files) };
}

async function readPageFile(path: string): Promise<PageFile> {
	const bytes = await readFile(path);
	const mediaType = mediaTypes[extname(path)];
	if (mediaType === undefined) throw new Error(`${path} has an extension without a media type.`);
	return { bytes, mediaType, etag: hash('sha256', bytes, 'base64url') };
}
