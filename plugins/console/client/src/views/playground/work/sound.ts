import { incompleteStream, type Run } from '../desk/run.ts';
import { extensionOf } from '../snippets/literal.ts';

/** Generated speech. */
export interface SpeechResult {
	readonly address: string;
	readonly blob: Blob;
	readonly format: string;
}

/** Generates speech from a text. */
export async function speak(run: Run<SpeechResult>): Promise<void> {
	const blob = await (await run.send()).blob();
	const format = extensionOf(run.call, 'response_format', 'mp3');
	run.result.value = { address: run.addressOf(blob), blob, format };
}

/** A segment or a word with its times in seconds. */
export interface TimedText {
	readonly start: number;
	readonly end: number;
	readonly text?: string;
	readonly word?: string;
}

/** A transcript. */
export interface TranscriptionResult {
	readonly text: string;
	readonly language?: string;
	readonly segments?: readonly TimedText[];
	readonly words?: readonly TimedText[];
	/** The URL of the audio file that was sent. */
	readonly sound?: string;
}

interface TranscriptEvent {
	readonly type: string;
	readonly delta?: string;
	readonly text?: string;
	readonly warnings?: readonly string[];
}

/** Transcribes an audio file. */
export async function transcribe(run: Run<TranscriptionResult>): Promise<void> {
	const { fields, files } = run.call;
	const [audio] = files;
	const sound = audio ? { sound: run.addressOf(audio.file) } : {};
	if (fields.stream !== true) {
		const response = await run.send();
		const isJson = response.headers.get('content-type')?.startsWith('application/json');
		const answer = isJson
			? ((await response.json()) as TranscriptionResult & { readonly warnings?: readonly string[] })
			: { text: await response.text() };
		if ('warnings' in answer) run.warn(answer.warnings);
		run.result.value = { ...answer, ...sound };
		return;
	}
	let isComplete = false;
	for await (const { type, delta = '', text, warnings } of run.events<TranscriptEvent>()) {
		isComplete ||= type.endsWith('.done');
		run.warn(warnings);
		run.result.value = { ...sound, text: text ?? (run.result.value?.text ?? '') + delta };
	}
	if (!isComplete) throw incompleteStream();
}
