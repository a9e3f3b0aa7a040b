import type { XmlHandler } from '../../markup/xml.ts';

/**
 * Passes on what a reader sees: of alternative contents the first that an `mc:AlternateContent` offers, and nothing of the elements that are hidden,
 * by their names.
 */
export function shown(handler: XmlHandler, isHidden: (name: string) => boolean = () => false): XmlHandler {
	let skipped = 0;
	const taken: boolean[] = [];
	const isLeftOut = (name: string) => {
		if (name !== 'mc:Choice' && name !== 'mc:Fallback') return isHidden(name);
		const isTaken = taken.at(-1) === true;
		if (taken.length > 0) taken[taken.length - 1] = true;
		return isTaken;
	};
	return {
		open(name, attributes) {
			if (skipped > 0 || isLeftOut(name)) skipped += 1;
			else if (name === 'mc:AlternateContent') taken.push(false);
			else handler.open?.(name, attributes);
		},
		text(text) {
			if (skipped === 0) handler.text?.(text);
		},
		close(name) {
			if (skipped > 0) skipped -= 1;
			else if (name === 'mc:AlternateContent') taken.pop();
			else handler.close?.(name);
		},
	};
}
