import { createReadStream } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { pathToFileURL } from 'node:url';
import type { LoadOptions } from './engine/messages.ts';
import { EngineProcess } from './engine/process.ts';

const packageName = 'node-llama-cpp';
/** Kinds of files that generate no text. */
const textless = /adapter|mmproj|imatrix|bert|clip|t5encoder|wavtokenizer/i;
const pull = 'plinth models pull URL --sha256 HEX downloads a model and checks it.';

/** Finds the library beside the config, without loading it, as a file URL. Throws when it is not installed. */
export function findLibrary(folder: string): string {
	try {
		return pathToFileURL(createRequire(join(folder, 'plinth.config.js')).resolve(packageName)).href;
	} catch (cause) {
		const remedy = `Run npm install ${packageName} there, or use openai.chat with a server of llama.cpp.`;
		throw new Error(`The package ${packageName} is not installed beside ${folder}. ${remedy}`, { cause });
	}
}

/**
 * Checks a model without loading its weights: its first bytes here, and the rest by the engine, in a process of its
 * own. Rejects with an error that names the file and the remedy.
 */
export async function checkModel(options: LoadOptions): Promise<void> {
	const { file, gpu } = options;
	await checkHeader(file);
	const process = new EngineProcess({ ...options, isCheck: true });
	try {
		const kind = await process.loaded;
		if (textless.test(kind)) throw new Error(`It is of the kind ${kind}, which makes no text. Choose a chat model.`);
	} catch (cause) {
		const { message } = cause as Error;
		const remedy = message.includes('NoBinaryFound')
			? `Install the package of @node-llama-cpp for gpu: ${gpu} and this machine, or set another gpu.`
			: `A file that is cut off has to be downloaded again: ${pull}`;
		throw new Error(`The engine cannot use ${file}. ${message} ${remedy}`, { cause });
	} finally {
		await process.end();
	}
}

async function checkHeader(file: string): Promise<void> {
	const bytes = await buffer(createReadStream(file, { end: 7 })).catch((cause) => {
		const reason =
			cause.code === 'ENOENT' ? `There is no such file. The server downloads no models. ${pull}` : cause.code;
		throw new Error(`The model ${file} cannot be read. ${reason}`, { cause });
	});
	if (bytes.toString('latin1', 0, 4) !== 'GGUF') throw new Error(`${file} is no GGUF file. ${pull}`);
	const version = bytes[4];
	if (version === 2 || version === 3) return;
	throw new Error(`${file} has version ${version} of GGUF, not 2 or 3. Convert the model again.`);
}
