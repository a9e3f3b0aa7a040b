import { eventually } from '@plinth/testing';
import { beforeEach, describe, expect, test } from 'vitest';
import { reportPdf } from '../../cli/src/demo/report-pdf.ts';
import { quoted } from '../clients/chat-suite.ts';
import { bytesOf } from '../clients/images-suite.ts';
import { lines, type SdkClass } from '../clients/sdk.ts';
import { jobEvents } from '../support/job-events.ts';
import {
	downloadAndProbe,
	finished,
	probeBytes,
	startLongVideo,
	upstreamVideo,
	usePair,
} from '../support/pair-fixture.ts';
import { frontKey } from '../support/plinth-pair.ts';
import { pngSize, solidPng } from '../support/png.ts';
import { readWav } from '../support/wav.ts';

const newest = lines.at(-1)?.OpenAI as SdkClass;

const pdf = fileOf('report.pdf', 'application/pdf', reportPdf());
const note = fileOf('note.txt', 'text/plain', 'The ferry to the island leaves at nine in the morning.');

/** A part of a message that holds a file. */
function fileOf(filename: string, type: string, content: Uint8Array | string) {
	const file_data = `data:${type};base64,${Buffer.from(content).toString('base64')}`;
	return { type: 'file' as const, file: { filename, file_data } };
}

/** A request to a model of the front that asks about a file. */
function quoteRequest(model: string, word: string, file: typeof pdf) {
	const text = `Quote the sentence with "${word}".`;
	const content = [file, { type: 'text' as const, text }];
	return { model, messages: [{ role: 'user' as const, content }] };
}

describe('a server whose models are those of an upstream server', () => {
	const fixture = usePair(newest);

	describe.each(lines)('for $name', ({ name, OpenAI }) => {
		beforeEach(() => {
			fixture.client = fixture.recorded.sdk(OpenAI, frontKey);
		});

		test('the front extracts the text of a PDF for its chat model', async () => {
			const request = quoteRequest('far-chat', 'reservoir', pdf);
			const { choices, model, usage } = await fixture.client.chat.completions.create(request);
			expect(choices[0]?.message.content).toContain('builtin-chat');
			expect(model).toBe('far-chat');
			// The prompt tokens include the text of the file.
			expect(usage?.prompt_tokens).toBeGreaterThan(200);
		});

		test('the front streams a chat completion', async () => {
			const request = { ...quoteRequest('far-chat', 'ferry', note), stream: true } as const;
			const pieces: string[] = [];
			const stream = await fixture.client.chat.completions.create(request);
			for await (const { choices, model } of stream) {
				pieces.push(choices[0]?.delta.content ?? '');
				expect(model).toBe('far-chat');
			}
			expect(pieces.join('')).toContain('builtin-chat');
			expect(pieces.length).toBeGreaterThan(5);
		});

		test('the front returns an image of the requested size', async () => {
			const { data } = await fixture.client.images.generate({
				model: 'far-image',
				prompt: 'A lighthouse',
				size: '1536x1024',
			});
			expect(pngSize(bytesOf(data?.[0]))).toEqual({ width: 1536, height: 1024 });
		});

		test('the front returns speech as WAV', async () => {
			const response = await fixture.client.audio.speech.create({
				model: 'far-speech',
				voice: 'onyx',
				input: 'Good morning.',
				response_format: 'wav',
			});
			expect(response.headers.get('content-type')).toBe('audio/wav');
			const wav = readWav(new Uint8Array(await response.arrayBuffer()));
			expect(wav.seconds).toBeGreaterThan(0.5);
		});

		test('the front returns the video bytes of the upstream unchanged', async () => {
			const prompt = `A kite for ${name}`;
			const { id } = await fixture.client.videos.create({
				model: 'far-video',
				prompt,
				seconds: '2' as '4',
				size: '640x480' as '720x1280',
			});
			expect(await finished(fixture, id)).toMatchObject({ status: 'completed', progress: 1 });
			expect(await downloadAndProbe(fixture, id, prompt)).toMatchObject({
				codec_name: 'h264',
				width: 640,
				height: 480,
				nb_read_frames: '48',
			});
			// The recorded responses, which the fixture searches for upstream ids, contain the ids of the front.
			expect(await fixture.recorded.text()).toContain(id);
		});
	});

	test('the front passes documents on unchanged when its config says so', async () => {
		const request = quoteRequest('far-reader', 'reservoir', pdf);
		const { choices } = await fixture.client.chat.completions.create(request);
		expect(choices[0]?.message.content).toMatch(quoted);
	});

	test('the front edits images', async () => {
		const before = solidPng(640, 480, [20, 120, 220]);
		const { data } = await fixture.client.images.edit({
			model: 'far-image',
			prompt: 'Make it black and white',
			image: new File([before], 'sky.png', { type: 'image/png' }),
			size: '1024x1024',
		});
		expect(pngSize(bytesOf(data?.[0]))).toEqual({ width: 1024, height: 1024 });
	});

	test('speech is MP3 by default', async () => {
		const request = { model: 'far-speech', voice: 'nova', input: 'Good morning.' } as const;
		const response = await fixture.client.audio.speech.create(request);
		expect(response.headers.get('content-type')).toBe('audio/mpeg');
		const mp3 = await probeBytes(fixture, 'speech.mp3', new Uint8Array(await response.arrayBuffer()));
		expect(mp3.codec_name).toBe('mp3');
		expect(Number(mp3.duration)).toBeGreaterThan(0.5);
	});

	test('the front parses documents without the upstream', async () => {
		const { filename, file_data: url } = pdf.file;
		const path = '/api/attachments/parse';
		const response = await fixture.recorded.fetch(`${fixture.pair.front.url}${path}`, {
			method: 'POST',
			headers: { authorization: `Bearer ${frontKey}`, 'content-type': 'application/json' },
			body: JSON.stringify({ files: [{ url, filename, media_type: 'application/pdf' }] }),
		});
		expect([response.status, await response.text()]).toEqual([
			200,
			expect.stringMatching(/reservoir gave more(?: |\\n)water/),
		]);
		const isIn = (log: string) => log.includes(`"route":"${path}"`);
		await eventually('the front has logged it', () => isIn(fixture.pair.front.log()));
		expect(isIn(fixture.pair.upstream.log())).toBe(false);
	});

	test('a request that the upstream refuses is refused with the name of the parameter', async () => {
		const request = { model: 'far-speech', voice: 'nobody', input: 'Good morning.' };
		await expect(fixture.client.audio.speech.create(request)).rejects.toMatchObject({
			status: 400,
			code: 'invalid_value',
			param: 'voice',
		});
	});

	test('deleting a video stops the work of the upstream', async () => {
		const prompt = 'A kite that is deleted';
		const id = await startLongVideo(fixture, prompt);
		const upstreamOwn = await upstreamVideo(fixture, prompt);
		expect(upstreamOwn.status).toBe('in_progress');
		await fixture.client.videos.delete(id);
		await expect(fixture.client.videos.retrieve(id)).rejects.toMatchObject({ status: 404 });
		await eventually('the upstream has deleted its video', async () => {
			const { status } = await fixture.pair.upstream.client.send(`/v1/videos/${upstreamOwn.id}`);
			return status === 404;
		});
	});

	test('the front answers 503 while the upstream is down, and works once it has restarted', async () => {
		const { client, pair } = fixture;
		const chat = quoteRequest('far-chat', 'ferry', note);
		await pair.upstream.stop('SIGKILL');
		const waiting = await client.videos.create({ model: 'far-video', prompt: 'A kite that waits' });
		const refused = await Promise.all(
			[
				client.chat.completions.create(chat),
				client.chat.completions.create({ ...chat, stream: true }),
				client.images.generate({ model: 'far-image', prompt: 'A lighthouse' }),
				client.audio.speech.create({ model: 'far-speech', voice: 'nova', input: 'Hello.' }),
			].map((call) => call.catch((error) => error)),
		);
		for (const { status, code, error, headers } of refused) {
			expect([status, code]).toEqual([503, 'model_unavailable']);
			expect(Object.keys(error).sort()).toEqual(['code', 'message', 'param', 'type']);
			expect(Number(headers.get('retry-after'))).toBeGreaterThan(0);
		}
		await pair.upstream.start();
		const { choices } = await client.chat.completions.create(chat);
		expect(choices[0]?.message.content).toContain('builtin-chat');
		expect(await finished(fixture, waiting.id)).toMatchObject({ status: 'completed' });
	});
});

// Half of the run time is spent waiting for leases, and for the next poll of a server that was down.
describe.concurrent.each(['SIGKILL', 'SIGTERM'] as const)('after a restart by %s of', (signal) => {
	const fixture = usePair(newest);

	test.each([
		['the front', ['front']],
		['the upstream', ['upstream']],
		['both', ['front', 'upstream']],
	] as const)(
		'%s during a video, the upstream renders the video once and completely',
		{ concurrent: false },
		async (what, names) => {
			const prompt = `A kite over ${what}`;
			const { pair } = fixture;
			const id = await startLongVideo(fixture, prompt);
			await Promise.all(names.map((name) => pair[name].stop(signal)));
			await Promise.all(names.map((name) => pair[name].start()));
			expect(await finished(fixture, id)).toMatchObject({ status: 'completed', error: null });
			const whole = { codec_name: 'h264', width: 1280, height: 720, nb_read_frames: '192' };
			expect(await downloadAndProbe(fixture, id, prompt)).toMatchObject(whole);
			const ids = { front: id, upstream: (await upstreamVideo(fixture, prompt)).id };
			for (const name of names) {
				const starts = (await jobEvents(pair[name].dataDir)).filter(
					({ type, jobId }) => type === 'job.started' && jobId === ids[name],
				);
				// The job was running when the process was ended.
				expect(starts.length).toBeGreaterThan(1);
			}
		},
	);
});
