import type { Destination } from './destinations.ts';
import type { Paragraphs } from './paragraphs.ts';

/** What a group of RTF changes, and what its end brings back. */
export interface State {
	/** Where text goes. */
	readonly flow: Paragraphs;
	/** Text goes nowhere when false. */
	readonly isShown: boolean;
	/** Set where this group began a place of its own. */
	readonly place?: Destination | undefined;
	/** Places around this one. */
	readonly nesting: number;
	/** Characters that follow each `\u` for readers without Unicode. */
	readonly fallback: number;
	readonly font: number;
	readonly isHidden: boolean;
	readonly isDeleted: boolean;
	readonly inTable: boolean;
	readonly isHeading: boolean;
	readonly breaksPage: boolean;
}

/** The state before the first group. */
export function firstState(flow: Paragraphs): State {
	return {
		flow,
		isShown: true,
		nesting: 0,
		fallback: 1,
		font: -1,
		...plain,
		...paragraphStart,
	};
}

/** What `\plain` sets. */
export const plain = { isHidden: false, isDeleted: false } as const;
/** What `\pard` sets. */
export const paragraphStart = { inTable: false, isHeading: false, breaksPage: false } as const;

/** The change that a control word makes to the state; undefined for words that make none. */
export function changeOf(word: string, number: number | undefined): Partial<State> | undefined {
	const isOn = number !== 0;
	switch (word) {
		case 'uc':
			return { fallback: Math.max(0, number ?? 1) };
		case 'f':
			return { font: number ?? 0 };
		case 'plain':
			return plain;
		case 'pard':
			return paragraphStart;
		case 'v':
			return { isHidden: isOn };
		case 'deleted':
			return { isDeleted: isOn };
		case 'intbl':
			return { inTable: isOn };
		case 'itap':
			return { inTable: (number ?? 1) > 0 };
		case 'outlinelevel':
			return { isHeading: (number ?? 0) < 9 };
		case 'pagebb':
			return { breaksPage: isOn };
		default:
			return undefined;
	}
}
