import type { TranscriptionWord } from '@plinth/plugin-transcription/model';
import type { Recognized } from './engine/tasks.ts';

/** Maximum length of a word in seconds. It applies when no other word follows soon. */
const maxWordSeconds = 1;
/** Scripts without spaces, in which each character counts as a word. */
const unspaced = /\p{Script=Han}|\p{Script=Hiragana}|\p{Script=Katakana}/u;

/**
 * The words of a window. Tokens join into a word until the next space. The engine reports only the starts of tokens, so
 * a word ends where the next one starts, at most a second later.
 */
export function toWords(window: Recognized & { readonly start: number; readonly end: number }) {
	const { tokens = [], timestamps = [] } = window;
	const words: { start: number; word: string }[] = [];
	let last = '';
	for (const [at, token] of tokens.entries()) {
		const isPunctuation = !/[\p{L}\p{N}]/u.test(token);
		const isNew = !isPunctuation && (/^[\s▁]/.test(token) || unspaced.test(token) || unspaced.test(last));
		const word = words.at(-1);
		if (word && !isNew) word.word += token;
		else words.push({ start: window.start + (timestamps[at] ?? 0), word: token });
		if (!isPunctuation) last = token;
	}
	return words.map(({ start, word }, at): TranscriptionWord => {
		const end = Math.min(words[at + 1]?.start ?? window.end, window.end, start + maxWordSeconds);
		return { start, end: Math.max(start, end), word: word.replace(/^▁/, '').trim() };
	});
}
