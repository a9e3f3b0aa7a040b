import type { TranscriptionWord } from '@plinth/plugin-transcription/model';
import type { Recognized } from './engine/tasks.ts';

/** A word that nothing follows soon is taken to last this long, in seconds. */
const longestWord = 1;
/** Scripts without spaces, in which each character is taken as a word. */
const unspaced = /\p{Script=Han}|\p{Script=Hiragana}|\p{Script=Katakana}/u;

/**
 * The words of a window. Tokens join into a word until the next space. The engine tells only where tokens start, so a
 * word ends where the next one starts, at most a second later.
 */
export function toWords(window: Recognized & { readonly start: number; readonly end: number }) {
	const { tokens = [], timestamps = [] } = window;
	const words: { start: number; word: string }[] = [];
	let last = '';
	for (const [at, token] of tokens.entries()) {
		const isMark = !/[\p{L}\p{N}]/u.test(token);
		const isNew = !isMark && (/^[\s▁]/.test(token) || unspaced.test(token) || unspaced.test(last));
		const word = words.at(-1);
		if (word && !isNew) word.word += token;
		else words.push({ start: window.start + (timestamps[at] ?? 0), word: token });
		if (!isMark) last = token;
	}
	return words.map(({ start, word }, at): TranscriptionWord => {
		const end = Math.min(words[at + 1]?.start ?? window.end, window.end, start + longestWord);
		return { start, end: Math.max(start, end), word: word.replace(/^▁/, '').trim() };
	});
}
