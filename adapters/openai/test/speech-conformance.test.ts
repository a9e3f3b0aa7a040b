import { setTimeout as delay } from 'node:timers/promises';
import { speechModelSuite } from '@plinth/plugin-speech/testing';
import { createModel } from '@plinth/testing';
import { afterAll, describe, test } from 'vitest';
import { openai } from '../src/index.ts';
import { systemClock } from './system-clock.ts';
import { failure, type Handler, startScripted } from './upstream.ts';

const heads: Readonly<Record<string, string>> = {
	mp3: '\xff\xfb\x90\x00',
	opus: 'OggS',
	flac: 'fLaC',
	wav: 'RIFF\xff\xff\xff\xffWAVEfmt \x10\0\0\0\x01\0\x01\0\xc0\x5d\0\0\x80\xbb\0\0\x02\0\x10\0data\xff\xff\xff\xff',
	pcm: '',
};

/** Returns a constant sound in any format but AAC, in chunks of any size. */
const upstreamHandler: Handler = async (request, res) => {
	const { input, response_format: format, speed = 1 } = request.json;
	if (`${input}`.trim() === '') {
		return failure(400, { message: 'empty', param: 'input' })(request, res);
	}
	const head = heads[`${format}`];
	if (head === undefined) {
		return failure(400, { message: 'no such format', param: 'response_format' })(request, res);
	}
	res.writeHead(200, { 'content-type': 'application/octet-stream' });
	res.write(Buffer.from(head, 'latin1'));
	for (let piece = 0; piece < 4; piece++) {
		await delay(2);
		if (res.destroyed) return;
		res.write(Buffer.alloc(Math.round(401 / Number(speed)), 7));
	}
	res.end();
};

const upstream = await startScripted(upstreamHandler);
afterAll(() => upstream.close());

describe('a model with an upstream conforms:', () => {
	const cases = speechModelSuite({
		create: () => createModel(openai.speech({ baseURL: upstream.baseURL }), { clock: systemClock }),
		supports: { deterministic: true, speed: true },
	});
	for (const { name, run } of cases) test(name, run);
});
