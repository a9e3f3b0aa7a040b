import { mkdir, stat } from 'node:fs/promises';
import { basename, resolve } from 'node:path';
import { type Download, download } from '../pull/download.ts';
import { hashOf } from '../pull/part-file.ts';
import { UserError } from '../user-error.ts';

/** The flags of `plinth models pull`. */
export interface PullFlags {
	readonly sha256: string;
	/** The folder of the file. */
	readonly to: string;
	readonly allowHttp?: boolean;
}

/**
 * Downloads a file of a model, shows the progress on stderr, and prints the path of the file on stdout. The file gets
 * its name when it is complete and has the expected checksum. Resumes a download that was interrupted.
 */
export async function pull(address: string, flags: PullFlags): Promise<void> {
	const target = toDownload(address, flags);
	await mkdir(resolve(flags.to), { recursive: true });
	if (await isPresent(target)) process.stderr.write('The file already exists, with this checksum.\n');
	else await download(target);
	process.stdout.write(`${target.file}\n`);
}

function toDownload(address: string, { to, allowHttp = false, sha256 }: PullFlags): Download {
	if (!URL.canParse(address))
		throw new UserError(`${address} is not a URL. Name the file: https://host/folder/model.gguf`);
	const url = new URL(address);
	if (!/^[0-9a-f]{64}$/i.test(sha256)) {
		throw new UserError('--sha256 needs the 64 hexadecimal digits of the checksum. The site of the file shows it.');
	}
	const name = decoded(basename(url.pathname));
	if (!/^[^/\\\0]+$/.test(name) || name === '.' || name === '..') {
		throw new UserError(`The path of ${url.origin}${url.pathname} does not end with the name of a file.`);
	}
	return { url, sha256: sha256.toLowerCase(), file: resolve(to, name), allowHttp };
}

function decoded(name: string): string {
	try {
		return decodeURIComponent(name);
	} catch {
		return name;
	}
}

async function isPresent({ file, sha256 }: Download): Promise<boolean> {
	if (!(await stat(file).catch(() => undefined))) return false;
	if ((await hashOf(file)).digest('hex') === sha256) return true;
	throw new UserError(`${file} exists with another checksum. Move it, or choose another folder with --to.`);
}
