import { statfs } from 'node:fs/promises';
import { basename, dirname } from 'node:path';
import { formatBytes } from '../format-bytes.ts';
import { Progress } from '../progress.ts';
import { UserError } from '../user-error.ts';
import { PartFile } from './part-file.ts';
import { request } from './request.ts';

/** What to download. */
export interface Download {
	readonly url: URL;
	/** In lower-case hexadecimal digits. */
	readonly sha256: string;
	/** The path of the complete file. */
	readonly file: string;
	/** Whether plain http is allowed, also from other machines. */
	readonly allowHttp: boolean;
}

/**
 * Downloads a file, or the rest of it. Rejects with a `UserError` when the server does not respond with the file, when
 * the connection is cut, when the disk is full, and when the checksum differs. In the last case, removes the file.
 */
export async function download(target: Download): Promise<void> {
	const { file, sha256 } = target;
	const part = await PartFile.open(file);
	try {
		if (part.sha256 !== sha256) await receive(target, part);
		const { sha256: actual } = part;
		if (actual !== sha256) {
			await part.remove();
			throw new UserError(
				`The checksum of the downloaded file is ${actual}, not ${sha256}. The file was removed. ` +
					'Check the address and --sha256 against the site that offers the file.',
			);
		}
		await part.finish();
	} catch (error) {
		throw explain(error, target, part);
	} finally {
		if (part.bytes === 0) await part.remove();
		else await part.close();
	}
}

async function receive(target: Download, part: PartFile): Promise<void> {
	const { url, file, allowHttp } = target;
	const { response, isRest, version } = await request(url, { allowHttp, from: part.bytes, version: part.version });
	if (!isRest) await part.restart(version);
	const length = Number(response.headers.get('content-length') ?? Number.NaN);
	const total = part.bytes + length;
	const size = Number.isNaN(total) ? 'an unknown number of bytes' : formatBytes(total);
	const already = isRest ? `, of which ${formatBytes(part.bytes)} are already downloaded` : '';
	process.stderr.write(`${basename(file)}: ${size} from ${url.host}${already}\n`);
	await checkSpace(dirname(file), length);
	const progress = new Progress(basename(file), process.stderr);
	try {
		for await (const bytes of response.body ?? []) {
			await part.append(bytes);
			progress.update(formatBytes(part.bytes), total > 0 ? Math.min(1, part.bytes / total) : 0);
		}
	} finally {
		progress.end();
	}
}

async function checkSpace(folder: string, bytes: number): Promise<void> {
	const { bavail, bsize } = await statfs(folder);
	const free = bavail * bsize;
	// False when the length is unknown (NaN).
	if (free < bytes) {
		throw new UserError(
			`${folder} has ${formatBytes(free)} free, and the download needs ${formatBytes(bytes)}. Free some, or use --to.`,
		);
	}
}

function explain(error: unknown, { file, url }: Download, part: PartFile): unknown {
	if (error instanceof UserError) return error;
	const { code, cause } = error as NodeJS.ErrnoException;
	const kept = `${formatBytes(part.bytes)} are kept in ${file}.part: the same command resumes from there.`;
	const rest = part.bytes > 0 ? kept : 'Try again.';
	if (code === 'ENOSPC' || code === 'EDQUOT') {
		return new UserError(`The disk of ${dirname(file)} is full. Free some of it. ${rest}`, { cause: error });
	}
	if (code) return new UserError(`${file} cannot be written: ${code}.`, { cause: error });
	const { message, code: reason = message } = (cause ?? error) as NodeJS.ErrnoException;
	return new UserError(`The connection to ${url.host} has ended: ${reason}. ${rest}`, { cause: error });
}
