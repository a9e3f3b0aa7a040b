import { createHash } from 'node:crypto';
import { crc32, deflateSync } from 'node:zlib';
import { smallMp4 } from '@plinth/plugin-video/testing';
import { type Prompt, standsOn } from './validate.ts';

/** The file that an output node saves: bytes from the prompt, equal for equal prompts. */
export function makeFile(prompt: Prompt, output: string): { readonly extension: string; readonly bytes: Buffer } {
	const parts = standsOn(prompt, output).map((id) => prompt[id] as Prompt[string]);
	const inputs = parts.flatMap((node) => Object.entries(node.inputs));
	const find = (...names: string[]) =>
		inputs.find(([name, value]) => names.includes(name) && !Array.isArray(value))?.[1];
	const latent = parts.find(({ class_type: name }) => /^Empty/.test(name))?.inputs ?? {};
	const [width, height] = [Number(latent.width ?? 96), Number(latent.height ?? 64)];
	const told = JSON.stringify(prompt);
	if (latent.length === undefined)
		return { extension: 'png', bytes: png(width, height, Number(find('seed', 'noise_seed')), told) };
	const seconds = Number(latent.length) / Number(find('fps') ?? 16);
	const frames = createHash('sha256').update(told).digest('hex');
	return { extension: 'mp4', bytes: Buffer.concat([smallMp4({ width, height, seconds }, frames), metadataBox(told)]) };
}

/** The workflow in a metadata box of an MP4, as `SaveVideo` writes it. */
function metadataBox(text: string): Buffer {
	const head = Buffer.from('\0\0\0\0meta', 'latin1');
	head.writeUInt32BE(head.length + text.length);
	return Buffer.concat([head, Buffer.from(text, 'latin1')]);
}

/** A PNG of one colour with the workflow in a text chunk, as `SaveImage` writes it. */
export function png(width: number, height: number, seed: number, text: string): Buffer {
	const row = Buffer.alloc(1 + width * 3, Buffer.from([seed % 251, (seed >> 4) % 253, (seed >> 8) % 255]));
	row[0] = 0;
	const header = Buffer.alloc(13);
	header.writeUInt32BE(width, 0);
	header.writeUInt32BE(height, 4);
	header.set([8, 2, 0, 0, 0], 8);
	return Buffer.concat([
		Buffer.from('\x89PNG\r\n\x1a\n', 'latin1'),
		chunk('IHDR', header),
		chunk('tEXt', Buffer.from(`prompt\0${text}`, 'latin1')),
		chunk('IDAT', deflateSync(Buffer.concat(Array<Buffer>(height).fill(row)), { level: 1 })),
		chunk('IEND', Buffer.alloc(0)),
	]);
}

function chunk(type: string, data: Uint8Array): Buffer {
	const body = Buffer.concat([Buffer.from(type, 'latin1'), data]);
	const [length, sum] = [Buffer.alloc(4), Buffer.alloc(4)];
	length.writeUInt32BE(data.length);
	sum.writeUInt32BE(crc32(body));
	return Buffer.concat([length, body, sum]);
}
