import assert from 'node:assert/strict';
import type { Transcription, TranscriptionRequest } from '../model.ts';

/** Fails for a transcription that breaks a rule of the contract. */
export function checkTranscription(made: Transcription, asked: TranscriptionRequest, deltas: readonly string[]): void {
	const { text, language, seconds, segments, words, usage, warnings = [] } = made;
	assert(typeof text === 'string', 'there is no text');
	assert(text.startsWith(deltas.join('')), `the text "${text}" does not begin with what was reported`);
	assert(language === undefined || /^[a-z]{2,3}$/.test(language), `"${language}" is no code of a language`);
	assert(seconds === undefined || (Number.isFinite(seconds) && seconds >= 0), `${seconds} is no length`);
	for (const warning of warnings) assert(typeof warning === 'string' && warning !== '', 'a warning is no sentence');
	for (const count of Object.values(usage ?? {})) assert(Number.isInteger(count) && count >= 0, `${count} is no count`);
	for (const kind of asked.timestamps) {
		assert(kind === 'word' ? words : segments, `the times of ${kind}s were asked for, and are not told`);
	}
	checkTimes(segments?.map((each) => ({ ...each, what: `the segment "${each.text}"` })));
	checkTimes(words?.map((each) => ({ ...each, what: `the word "${each.word}"` })));
}

/** Fails for times that are no times, and for those that do not follow each other. */
function checkTimes(parts: readonly { readonly start: number; readonly end: number; readonly what: string }[] = []) {
	let before = 0;
	for (const { start, end, what } of parts) {
		assert(start >= 0 && end >= start && Number.isFinite(end), `${what} is from ${start} to ${end}`);
		assert(start >= before, `${what} begins before the one in front of it`);
		before = start;
	}
}
