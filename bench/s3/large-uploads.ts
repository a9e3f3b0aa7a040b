import { once } from 'node:events';
import { type IncomingMessage, request } from 'node:http';
import { memoryGrowthDuring } from '../../test/support/process-tree.ts';
import type { Row } from '../harness/bench.ts';
import { keyHeaders } from '../harness/server.ts';
import type { S3Server } from './server.ts';

const count = 10;
const megabyte = 1024 ** 2;
const megabytes = 512;
const block = Buffer.alloc(megabyte, 'plinth');

/** Ten files of 512 MB at once: from clients (with a length) and from a model (without one, so in parts). */
export async function largeUploads(server: S3Server): Promise<Row[]> {
	// A first upload loads the late modules and grows the heap to its working size.
	await Promise.all([upload(server, 32), server.makeVideo(32)]);
	const all = (one: () => Promise<unknown>) => Promise.all(Array.from({ length: count }, one));
	const row = async (name: string, one: () => Promise<unknown>): Promise<Row> => {
		const began = performance.now();
		const growth = await memoryGrowthDuring(server.pid, () => all(one));
		return {
			name: `${count} x ${megabytes} MB at once, ${name}`,
			unit: 'MB that memory grows',
			ours: growth.server / megabyte,
			goal: { of: 'value', bound: 'at most', limit: 256 },
			note: `${Math.round((performance.now() - began) / 1000)} s`,
		};
	};
	return [
		await row('by clients', () => upload(server, megabytes)),
		await row('by a model', () => server.makeVideo(megabytes)),
	];
}

/** Sends a file of this many megabytes. Throws unless it is stored. */
async function upload({ port }: S3Server, length: number): Promise<void> {
	const boundary = 'boundary-of-the-bench';
	const part = (name: string, more = '') =>
		`--${boundary}\r\ncontent-disposition: form-data; name="${name}"${more}\r\n\r\n`;
	const req = request({
		port,
		method: 'POST',
		path: '/v1/files',
		headers: { ...keyHeaders, 'content-type': `multipart/form-data; boundary=${boundary}` },
	});
	const answered = once(req, 'response') as Promise<[IncomingMessage]>;
	req.write(`${part('purpose')}user_data\r\n${part('file', '; filename="large"')}`);
	for (let sent = 0; sent < length; sent += 1) {
		if (!req.write(block)) await Promise.race([once(req, 'drain'), answered]);
	}
	req.end(`\r\n--${boundary}--\r\n`);
	const [answer] = await answered;
	const text = Buffer.concat(await answer.toArray()).toString();
	if (answer.statusCode !== 200) throw new Error(text);
}
