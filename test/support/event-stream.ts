import { eventually } from '@plinth/testing';

/** One frame of an event stream. */
export interface Frame {
	readonly event: string | undefined;
	readonly id: string | undefined;
	/** Its data, parsed. */
	readonly data: {
		readonly object: string;
		readonly type: string;
		readonly created_at: number;
		readonly position?: number;
		readonly data: Readonly<Record<string, unknown>>;
	};
}

/** An event stream that is being read. */
export interface EventStream {
	readonly status: number;
	/** What has come so far. */
	readonly frames: readonly Frame[];
	/** The types of these frames. */
	types(): readonly string[];
	readonly isOver: boolean;
	/** Waits for a frame of this type, and answers with the first. */
	until(type: string): Promise<Frame>;
	/** Waits for the end of the stream. */
	over(): Promise<void>;
	close(): void;
}

/** Reads an answer of server-sent events as it comes. Comments and an answer without a body have no frames. */
export function readEvents(answer: Response, close: () => void = () => {}): EventStream {
	const frames: Frame[] = [];
	const stream = {
		status: answer.status,
		frames,
		types: () => frames.map(({ data }) => data.type),
		isOver: false,
		async until(type: string) {
			const found = () => frames.find(({ data }) => data.type === type);
			await eventually(`a frame ${type} comes`, () => found() !== undefined);
			return found() as Frame;
		},
		over: () => eventually('the stream ends', () => stream.isOver),
		close,
	};
	void (async () => {
		let text = '';
		try {
			for await (const chunk of answer.body?.pipeThrough(new TextDecoderStream()) ?? []) {
				text += chunk;
				const parts = text.split('\n\n');
				text = parts.pop() ?? '';
				for (const part of parts) if (!part.startsWith(':')) frames.push(frameOf(part));
			}
		} catch {
			// Cut off, by us or by the server.
		}
		stream.isOver = true;
	})();
	return stream;
}

/** Asks for an event stream. */
export async function openEvents(url: string, key: string, lastEventId?: string): Promise<EventStream> {
	const leaving = new AbortController();
	const headers = { 'x-api-key': key, ...(lastEventId && { 'last-event-id': lastEventId }) };
	const answer = await fetch(url, { headers, signal: leaving.signal });
	return readEvents(answer, () => leaving.abort());
}

function frameOf(text: string): Frame {
	const fields = new Map(
		text.split('\n').map((line): [string, string] => {
			const [name = '', ...value] = line.split(': ');
			return [name, value.join(': ')];
		}),
	);
	return {
		event: fields.get('event'),
		id: fields.get('id'),
		data: JSON.parse(fields.get('data') ?? 'null'),
	};
}
