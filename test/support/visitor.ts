import { createHash } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import type { RawClient, WireVideo } from './client.ts';
import type { Entry, Ledger } from './ledger.ts';
import { readMp4 } from './mp4.ts';
import { solidPng } from './png.ts';
import { makerOf } from './quick-video.ts';
import type { Seeded } from './seeded.ts';

/** What visitors share. */
export interface Visit {
	readonly ledger: Ledger;
	readonly random: Seeded;
	/** The server of the moment; undefined while there is none. */
	readonly client: () => RawClient | undefined;
	/** Whether a render that takes a second or two may be asked for now. */
	readonly mayRender: () => boolean;
	/** Told of what has just happened, so that somebody can be killed at that moment. */
	readonly happened: (moment: 'asking' | 'answered' | 'progressed') => void;
	readonly isOver: () => boolean;
}

const picture = solidPng(640, 480, [30, 160, 90]);
/** Jobs that wait at most: more would only make the end longer. */
const crowd = 16;
let count = 0;

/** Creates, polls, downloads, repeats and deletes at random until it is over. Whatever a server answers goes into the ledger. */
export async function visit(context: Visit): Promise<void> {
	const { client, random, isOver } = context;
	while (!isOver()) {
		const current = client();
		if (current) await step(context, current).catch(ignoreBrokenConnection);
		await delay(random.integer(4, 40));
	}
}

async function step(context: Visit, client: RawClient): Promise<void> {
	const { ledger, random } = context;
	const isThere = ({ id, removal }: Entry) => id !== undefined && removal === 'none';
	const waiting = ledger.entries.filter((entry) => isThere(entry) && !entry.ended).length;
	const choice = random.fraction();
	if (choice < 0.4 && waiting < crowd) return create(context, client);
	const [isWanted, act] = choices(isThere, choice);
	const [first, ...rest] = ledger.free(isWanted).slice(-40);
	if (!first) return;
	const entry = random.pick([first, ...rest]);
	entry.isBusy = true;
	try {
		await act(context, client, entry);
	} finally {
		entry.isBusy = false;
	}
}

type Act = (context: Visit, client: RawClient, entry: Entry) => Promise<void>;

function choices(isThere: (entry: Entry) => boolean, choice: number): readonly [(entry: Entry) => boolean, Act] {
	if (choice < 0.72) return [({ id }) => id !== undefined, look];
	if (choice < 0.86) return [(entry) => isThere(entry) && entry.status === 'completed', download];
	if (choice < 0.96) return [({ key, removal }) => key !== undefined && removal === 'none', ask];
	return [isThere, remove];
}

async function create(context: Visit, client: RawClient): Promise<void> {
	const { ledger, random, mayRender } = context;
	const isRender = mayRender() && random.chance(0.3);
	const name = `job ${count++}`;
	const entry = ledger.plan({
		model: isRender ? 'builtin-video' : 'quick',
		prompt: isRender ? name : `${name} ms=${random.integer(1, 500)} kb=${random.integer(1, 300)}`,
		key: random.chance(0.5) ? `key-of-${name.replace(' ', '-')}` : undefined,
		hasReference: random.chance(0.4),
	});
	try {
		await ask(context, client, entry);
	} finally {
		entry.isBusy = false;
	}
}

/** Posts the job, for the first time or again. */
export async function ask({ ledger, happened }: Visit, client: RawClient, entry: Entry): Promise<void> {
	const body = new FormData();
	const fields = { model: entry.model, prompt: entry.prompt, seconds: '2', size: '640x480' };
	for (const [name, value] of Object.entries(fields)) body.set(name, value);
	if (entry.hasReference) body.set('input_reference', new File([picture], 'start.png'));
	const headers = entry.key === undefined ? {} : { 'idempotency-key': entry.key };
	const answering = client.send('/v1/videos', { method: 'POST', headers, body });
	happened('asking');
	const answer = await answering;
	const text = await answer.text();
	if (answer.status !== 201) return ledger.fault('server error', `POST: ${answer.status} ${text}`);
	ledger.acknowledge(entry, JSON.parse(text) as WireVideo);
	happened('answered');
}

/** Reads the job. */
export async function look({ ledger, happened }: Visit, client: RawClient, entry: Entry): Promise<void> {
	const answer = await client.send(`/v1/videos/${entry.id}`);
	const text = await answer.text();
	if (answer.status === 404) return ledger.miss(entry);
	if (answer.status !== 200) return ledger.fault('server error', `GET: ${answer.status} ${text}`);
	const video = JSON.parse(text) as WireVideo;
	ledger.see(entry, video);
	if (video.status === 'in_progress' && video.progress >= 0.8) happened('progressed');
}

/** Downloads the video and compares it with what its entity tag and its maker say. */
export async function download({ ledger }: Visit, client: RawClient, entry: Entry): Promise<void> {
	const answer = await client.send(`/v1/videos/${entry.id}/content`);
	const bytes = new Uint8Array(await answer.arrayBuffer());
	const etag = answer.headers.get('etag') ?? '';
	const wrong = (what: string) => ledger.fault('half-served', `${entry.id}: ${what}`);
	if (answer.status !== 200) return wrong(`status ${answer.status}`);
	if (!etag.includes(createHash('sha256').update(bytes).digest('hex'))) return wrong('other bytes');
	entry.etag ??= etag;
	if (entry.etag !== etag) return wrong(`its tag was ${entry.etag} and is ${etag}`);
	if (!isWhatWasAsked(entry, bytes)) wrong('not what was asked for');
}

function isWhatWasAsked({ model, prompt }: Entry, bytes: Uint8Array): boolean {
	return model === 'quick' ? makerOf(bytes).prompt === prompt : readMp4(bytes).frames === 48;
}

async function remove({ ledger }: Visit, client: RawClient, entry: Entry): Promise<void> {
	const answering = client.send(`/v1/videos/${entry.id}`, { method: 'DELETE' });
	entry.removal = 'asked';
	const { status } = await answering;
	if (status === 200 || status === 404) entry.removal = 'done';
	else ledger.fault('server error', `DELETE: ${status}`);
}

/** What `fetch` throws when its server is killed; everything else is a mistake in a test. */
function ignoreBrokenConnection(error: unknown): void {
	if (!(error instanceof TypeError)) throw error;
}
