import { Progress } from '../progress.ts';
import { type DemoClient, eventsOf } from './client.ts';
import { reportPdf } from './report-pdf.ts';
import { statesOf, type VideoJob } from './video-job.ts';

/** Context of a step. */
export interface DemoContext {
	/** Results of earlier steps, by file name. */
	readonly files: ReadonlyMap<string, Uint8Array>;
	/** The paths of the server's OpenAPI document. */
	readonly routes: ReadonlySet<string>;
}

/** One step of the demo. */
export interface DemoStep {
	/** The required kind of model and route. The step is skipped when the server lacks one of them. */
	readonly needs: { readonly kind?: string; readonly route?: string };
	/** The file to write. */
	readonly file: string;
	/** Runs the step and returns the bytes and a sentence about them. `model` has the required kind. */
	run(client: DemoClient, model: string, context: DemoContext): Promise<{ bytes: Uint8Array; about: string }>;
}

const video: DemoStep = {
	needs: { kind: 'video' },
	file: 'video.mp4',
	async run(client, model, { routes }) {
		const prompt = 'A lighthouse above the sea at sunset, slow waves';
		const created = await client.post('/v1/videos', {
			model,
			prompt,
			seconds: '4',
			size: '1280x720',
		});
		let job = (await created.json()) as VideoJob;
		const progress = new Progress('video ');
		for await (job of statesOf(client, job.id, routes)) {
			progress.update(job.status, job.progress_percent / 100);
		}
		progress.end();
		if (job.status === 'failed') throw new Error(`the video failed: ${job.error?.message}`);
		const bytes = await client.bytes(`/v1/videos/${job.id}/content`);
		await client.delete(`/v1/videos/${job.id}`);
		return { bytes, about: `H.264, 1280x720, 4 s: "${prompt}"` };
	},
};

const speech: DemoStep = {
	needs: { kind: 'speech' },
	file: 'speech.wav',
	async run(client, model) {
		const input = 'This is Plinth. Everything that you see and hear was made on your own machine.';
		const progress = new Progress('speech');
		progress.update('speaking', 0);
		const answer = await client.post('/v1/audio/speech', {
			model,
			input,
			voice: 'nova',
			response_format: 'wav',
		});
		const bytes = new Uint8Array(await answer.arrayBuffer());
		progress.update('completed', 1);
		progress.end();
		return { bytes, about: `spoken: "${input}"` };
	},
};

const image: DemoStep = {
	needs: { kind: 'image' },
	file: 'image.png',
	async run(client, model) {
		const prompt = 'A castle in the mountains at dusk over a lake';
		const fields = { model, prompt, size: '1536x1024', stream: true, partial_images: 3 };
		const answer = await client.post('/v1/images/generations', fields);
		return { bytes: await lastPicture('image ', answer), about: `1536x1024: ${prompt}` };
	},
};

const edit: DemoStep = {
	needs: { kind: 'image' },
	file: 'edited.png',
	async run(client, model, { files }) {
		const prompt = 'warm, vignette, white border 24, add text "Wish you were here" at the bottom';
		const form = new FormData();
		const fields = { model, prompt, stream: 'true', partial_images: '3' };
		for (const [name, value] of Object.entries(fields)) form.set(name, value);
		form.set('image', new Blob([Uint8Array.from(files.get(image.file) ?? [])]), image.file);
		const answer = await client.post('/v1/images/edits', form);
		return { bytes: await lastPicture('edit  ', answer), about: `${image.file}: ${prompt}` };
	},
};

interface ParseResponse {
	readonly results: readonly {
		readonly content: { readonly pages?: readonly { readonly text: string }[] };
		readonly error?: { readonly message: string };
	}[];
}

const pages: DemoStep = {
	needs: { route: '/api/attachments/parse' },
	file: 'pages.json',
	async run(client) {
		const progress = new Progress('pages ');
		progress.update('reading', 0);
		const data = Buffer.from(reportPdf()).toString('base64');
		const file = { url: `data:application/pdf;base64,${data}`, filename: 'report.pdf' };
		const answer = await client.post('/api/attachments/parse', { files: [file] });
		const parsed = (await answer.json()) as ParseResponse;
		const [result] = parsed.results;
		if (result?.error) throw new Error(`the document could not be read: ${result.error.message}`);
		progress.update('completed', 1);
		progress.end();
		const bytes = Buffer.from(`${JSON.stringify(parsed, null, '\t')}\n`);
		const words = result?.content.pages?.[0]?.text.split(/\s+/).length ?? 0;
		return { bytes, about: `the ${words} words of a PDF: two columns and a table` };
	},
};

interface ChatChunk {
	readonly choices: readonly { readonly delta: { readonly content?: string | null } }[];
}

const answer: DemoStep = {
	needs: { kind: 'chat', route: '/api/attachments/parse' },
	file: 'answer.txt',
	async run(client, model) {
		const question = 'Why was one gauge moved?';
		const progress = new Progress('answer');
		progress.update('reading', 0);
		const data = Buffer.from(reportPdf()).toString('base64');
		const file = { filename: 'report.pdf', file_data: `data:application/pdf;base64,${data}` };
		const content = [
			{ type: 'file', file },
			{ type: 'text', text: question },
		];
		const messages = [{ role: 'user', content }];
		const response = await client.post('/v1/chat/completions', { model, messages, stream: true });
		let text = '';
		for await (const event of eventsOf(response)) {
			text += (event as ChatChunk).choices[0]?.delta.content ?? '';
		}
		progress.update('completed', 1);
		progress.end();
		return { bytes: Buffer.from(`${question}\n\n${text}\n`), about: `asked: "${question}"` };
	},
};

interface ImageEvent {
	readonly type: string;
	readonly b64_json: string;
	readonly partial_image_index?: number;
}

/** Shows partial images as progress, and returns the finished picture. */
async function lastPicture(label: string, answer: Response): Promise<Uint8Array> {
	const progress = new Progress(label);
	progress.update('drawing', 0);
	let last: ImageEvent | undefined;
	for await (const event of eventsOf(answer)) {
		last = event as ImageEvent;
		const { partial_image_index: index } = last;
		if (index !== undefined) progress.update('drawing', (index + 1) / 4);
	}
	if (!last?.type.endsWith('.completed')) throw new Error('the stream ended without a picture');
	progress.update('completed', 1);
	progress.end();
	return Buffer.from(last.b64_json, 'base64');
}

/** The steps of the demo, in order. */
export const steps: readonly DemoStep[] = [video, image, edit, speech, pages, answer];
