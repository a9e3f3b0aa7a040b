import { eventually } from '@plinth/testing';

/** One frame of an event stream. */
export interface Frame {
	readonly event: string | undefined;
	readonly id: string | undefined;
	/** The parsed data field. */
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
	/** The frames received so far. */
	readonly frames: readonly Frame[];
	/** The types of these frames. */
	types(): readonly string[];
	readonly isOver: boolean;
	/** Waits for a frame of this type, and returns the first one. */
	until(type: string): Promise<Frame>;
	/** Waits for the end of the stream. */
	over(): Promise<void>;
	close(): void;
}

/**
 * Reads server-sent events from a response as they arrive. Comments are skipped. A response without a body has no
 * frames.
 */
export function readEvents(response: Response, close: () => void = () => {}): EventStream {
	const frames: Frame[] = [];
	const stream = {
		status: response.status,
		frames,
		types: () => frames.map(({ data }) => data.type),
		isOver: false,
		async until(type: string) {
			const found = () => frames.find(({ data }) => data.type === type);
			await eventually(`a frame of type ${type} arrives`, () => found() !== undefined);
			return found() as Frame;
		},
		over: () => eventually('the stream ends', () => stream.isOver),
		close,
	};
	void (async () => {
		let text = '';
		try {
			for await (const chunk of response.body?.pipeThrough(new TextDecoderStream()) ?? []) {
				text += chunk;
				const parts = text.split('\n\n');
				text = parts.pop() ?? '';
				for (const part of parts) if (!part.startsWith(':')) frames.push(frameOf(part));
			}
		} catch {
			// The client or the server closed the connection.
		}
		stream.isOver = true;
	})();
	return stream;
}

/** Requests an event stream. */
export async function openEvents(url: string, key: string, lastEventId?: string): Promise<EventStream> {
	const abort = new AbortController();
	const headers = { 'x-api-key': key, ...(lastEventId && { 'last-event-id': lastEventId }) };
	const response = await fetch(url, { headers, signal: abort.signal });
	return readEvents(response, () => abort.abort());
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
