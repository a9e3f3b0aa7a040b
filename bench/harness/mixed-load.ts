import { longPdf } from './long-pdf.ts';
import { keyHeaders } from './server.ts';

/** One kind of request, and the status that it must have. */
interface Kind {
	readonly name: string;
	readonly status: number;
	send(): Promise<Response>;
}

/** Kinds of one second in their order: twenty requests. A video takes the last place every fifth second. */
const second =
	'poll chat refusal poll parse poll speech list refusal poll picture poll chat refusal poll parse list poll edit refusal';
const videoEachSeconds = 5;
/** Kinds of PLINTH_BENCH_KINDS, such as `chat,poll`: all others are left out. */
const only = process.env.PLINTH_BENCH_KINDS?.split(',');
/** The maximum number of running requests. Further requests are skipped and counted. */
const maxUnderWay = 64;

/** Twenty requests per second over all capabilities, independent of earlier responses. */
export class MixedLoad {
	readonly #url: string;
	readonly #counts = new Map<string, number>();
	readonly #kinds = new Map<string, Kind>();
	readonly #underWay = new Set<Promise<void>>();
	#timer: NodeJS.Timeout | undefined;
	#sent = 0;
	#skipped = 0;
	#first: string | undefined;
	#refused = 0;

	constructor(url: string) {
		this.#url = url;
	}

	/** Makes the data that the requests send. */
	async prepare(): Promise<void> {
		const pdf = longPdf(3, 40).toString('base64');
		const picture = await this.#picture();
		const drawn = (await picture.json()) as { data: readonly [{ b64_json: string }] };
		const png = Buffer.from(drawn.data[0].b64_json, 'base64');
		const created = await this.#video();
		if (!created.ok) throw new Error(await created.text());
		const video = (await created.json()) as { id: string };
		const document = (text: string) => `data:application/pdf;base64,${text}`;
		let turn = 0;
		// The bytes differ each time, so that nothing comes from a cache.
		const changed = () =>
			document(
				Buffer.from(`${Buffer.from(pdf, 'base64').toString('latin1')}\n%${turn++}`, 'latin1').toString('base64'),
			);
		const kinds: readonly Kind[] = [
			{ name: 'poll', status: 200, send: () => this.#get(`/v1/videos/${video.id}`) },
			{ name: 'list', status: 200, send: () => this.#get('/v1/videos?limit=20') },
			{ name: 'refusal', status: 400, send: () => this.#post('/v1/images/generations', { prompt: 'a', size: 'no' }) },
			{ name: 'chat', status: 200, send: () => this.#chat(changed()) },
			{ name: 'parse', status: 200, send: () => this.#post('/api/attachments/parse', { files: [{ url: changed() }] }) },
			{ name: 'speech', status: 200, send: () => this.#speech() },
			{ name: 'picture', status: 200, send: () => this.#picture() },
			{ name: 'edit', status: 200, send: () => this.#edit(png) },
			{ name: 'video', status: 201, send: () => this.#video() },
		];
		for (const kind of kinds) this.#kinds.set(kind.name, kind);
	}

	start(): void {
		const names = second.split(' ');
		this.#timer = setInterval(() => {
			const at = this.#sent++;
			const isVideo = at % (names.length * videoEachSeconds) === names.length - 1;
			const name = isVideo ? 'video' : (names[at % names.length] as string);
			if (!only || only.includes(name)) this.#begin(name);
		}, 1_000 / names.length);
	}

	/** Stops, and reports the number of successful requests of each kind. Throws when more than 1 % failed. */
	async stop(): Promise<string> {
		clearInterval(this.#timer);
		await Promise.all(this.#underWay);
		if (this.#refused * 100 > this.#sent)
			throw new Error(`${this.#refused} requests failed, the first: ${this.#first}`);
		const counts = [...this.#counts].map(([name, count]) => `${count} ${name}`);
		const skipped = `${this.#skipped} left out because ${maxUnderWay} were under way`;
		return `answered: ${counts.join(', ')}; ${this.#refused} failed; ${skipped}`;
	}

	#begin(name: string): void {
		const kind = this.#kinds.get(name);
		if (!kind || this.#underWay.size >= maxUnderWay) {
			this.#skipped++;
			return;
		}
		const request = this.#run(kind)
			.catch((error: unknown) => {
				this.#first ??= String(error);
				this.#refused++;
			})
			.finally(() => this.#underWay.delete(request));
		this.#underWay.add(request);
	}

	async #run({ name, status, send }: Kind): Promise<void> {
		const response = await send();
		const body = await response.arrayBuffer();
		if (response.status !== status)
			throw new Error(`${name}: ${response.status} ${Buffer.from(body).toString().slice(0, 300)}`);
		this.#counts.set(name, (this.#counts.get(name) ?? 0) + 1);
	}

	#get(path: string): Promise<Response> {
		return fetch(this.#url + path, { headers: keyHeaders });
	}

	#post(path: string, body: object): Promise<Response> {
		const headers = { ...keyHeaders, 'content-type': 'application/json' };
		return fetch(this.#url + path, { method: 'POST', headers, body: JSON.stringify(body) });
	}

	#form(path: string, fields: Readonly<Record<string, string | Blob>>): Promise<Response> {
		const body = new FormData();
		for (const [name, value] of Object.entries(fields)) {
			if (typeof value === 'string') body.set(name, value);
			else body.set(name, value, 'picture.png');
		}
		return fetch(this.#url + path, { method: 'POST', headers: keyHeaders, body });
	}

	#chat(url: string): Promise<Response> {
		const content = [
			{ type: 'text', text: 'What do people walk along with?' },
			{ type: 'file', file: { filename: 'a.pdf', file_data: url } },
		];
		return this.#post('/v1/chat/completions', { model: 'builtin-chat', messages: [{ role: 'user', content }] });
	}

	#speech(): Promise<Response> {
		const input = 'The quick harbour of a river holds its light while people walk along with their own thoughts.';
		return this.#post('/v1/audio/speech', { model: 'builtin-speech', voice: 'nova', input });
	}

	#picture(): Promise<Response> {
		const prompt = `A lighthouse above the sea at sunset, ${this.#sent}`;
		return this.#post('/v1/images/generations', { model: 'builtin-image', prompt, size: '512x512' });
	}

	#edit(png: Buffer<ArrayBuffer>): Promise<Response> {
		const prompt = 'sepia, then vignette';
		return this.#form('/v1/images/edits', { model: 'builtin-image', prompt, image: new Blob([png]) });
	}

	#video(): Promise<Response> {
		const prompt = `A forest in the rain, ${this.#sent}`;
		return this.#form('/v1/videos', { model: 'builtin-video', prompt, seconds: '2', size: '640x480' });
	}
}
