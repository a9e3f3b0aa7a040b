import assert from 'node:assert/strict';
import type { Transcription, TranscriptionRequest } from '../model.ts';

/** Fails if a transcription breaks a rule of the contract. */
export function checkTranscription(made: Transcription, asked: TranscriptionRequest, deltas: readonly string[]): void {
	const { text, language, seconds, segments, words, usage, warnings = [] } = made;
	assert(typeof text === 'string', 'there is no text');
	assert(text.startsWith(deltas.join('')), `the text "${text}" does not begin with the reported deltas`);
	assert(language === undefined || /^[a-z]{2,3}$/.test(language), `"${language}" is not a language code`);
	assert(seconds === undefined || (Number.isFinite(seconds) && seconds >= 0), `${seconds} is not a valid duration`);
	for (const warning of warnings) assert(typeof warning === 'string' && warning !== '', 'a warning has no text');
	for (const count of Object.values(usage ?? {})) assert(Number.isInteger(count) && count >= 0, `${count} is invalid`);
	for (const kind of asked.timestamps) {
		assert(kind === 'word' ? words : segments, `the timestamps of ${kind}s were requested, and are missing`);
	}
	checkTimes(segments?.map((each) => ({ ...each, what: `the segment "${each.text}"` })));
	checkTimes(words?.map((each) => ({ ...each, what: `the word "${each.word}"` })));
}

/** Fails if timestamps are invalid or not in order. */
function checkTimes(parts: readonly { readonly start: number; readonly end: number; readonly what: string }[] = []) {
	let before = 0;
	for (const { start, end, what } of parts) {
		assert(start >= 0 && end >= start && Number.isFinite(end), `${what} is from ${start} to ${end}`);
		assert(start >= before, `${what} begins before the previous one`);
		before = start;
	}
}
