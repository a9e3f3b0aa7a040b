import type { ChatEvent } from '@plinth/plugin-chat/model';

const charactersPerToken = 4;

/** A text word by word, ended at a word when it would be longer than `maxTokens` of about four characters. */
export function* speak(text: string, maxTokens: number | undefined): Generator<ChatEvent> {
	let left = maxTokens === undefined ? Number.POSITIVE_INFINITY : maxTokens * charactersPerToken;
	let isFirst = true;
	for (const [word] of text.matchAll(/\s*\S+\s*?/g)) {
		if (word.length > left) {
			// At least something is said, however few tokens there are.
			if (isFirst) yield { type: 'text', text: word.slice(0, left) };
			return yield { type: 'finish', reason: 'length' };
		}
		yield { type: 'text', text: word };
		left -= word.length;
		isFirst = false;
	}
	yield { type: 'finish', reason: 'stop' };
}
