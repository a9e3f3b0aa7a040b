import { randomBytes } from 'node:crypto';
import { crc32 } from 'node:zlib';
import { png } from '../../adapters/comfyui/test/scripted/files.ts';
import { ScriptedComfy } from '../../adapters/comfyui/test/scripted/server.ts';

/** A scripted ComfyUI whose workflows all make the same picture, a PNG of 2 MB with the workflow in a text chunk. */
const comfy = await new ScriptedComfy({
	isForgetful: true,
	output: () => ({ images: [{ filename: 'large.png', subfolder: '', type: 'output' }] }),
}).start();
const small = png(64, 64, 1, 'a workflow '.repeat(1_000));
const body = Buffer.concat([Buffer.from('IDAT'), randomBytes(2_000_000)]);
const head = Buffer.alloc(4);
head.writeUInt32BE(body.length - 4);
const sum = Buffer.alloc(4);
sum.writeUInt32BE(crc32(body));
const end = small.length - 12;
comfy.files.set('output//large.png', Buffer.concat([small.subarray(0, end), head, body, sum, small.subarray(end)]));
process.send?.({ url: comfy.url });
