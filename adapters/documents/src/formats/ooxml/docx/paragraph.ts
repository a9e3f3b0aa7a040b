import type { Block } from './blocks.ts';
import type { Numbering } from './numbering.ts';
import type { ParagraphLook, Styles } from './styles.ts';

const noOutline = 9;

/** A paragraph while it is read. */
export class Paragraph {
	readonly look: ParagraphLook = {};
	style = '';
	text = '';
	/** What it carries: text boxes, charts, notes. They follow it. */
	after: Block[] = [];
	/** Its end is deleted: the next paragraph goes on where it stops. */
	isJoined = false;
	endsSection = false;
	/** A part of it stands on an earlier page. */
	isContinued = false;

	/** What it looks like, its style included. */
	fullLook(styles: Styles): ParagraphLook {
		return { ...styles(this.style), ...this.look };
	}

	/** Gives what has been read so far, and goes on without. */
	take(look: ParagraphLook, numbering: Numbering): Block[] {
		const { text, after } = this;
		const { list, level = 0, outline = noOutline } = look;
		// Empty items count too.
		const mark = list && !this.isContinued ? numbering.next(list, level) : '';
		this.text = '';
		this.after = [];
		this.isContinued = true;
		if (text.trim() === '') return after;
		if (outline < noOutline) return [{ kind: 'heading', text: mark + text.trim() }, ...after];
		if (mark) return [{ kind: 'item', text: '  '.repeat(level) + mark + text.trim() }, ...after];
		return [{ kind: 'text', text: text.trimEnd() }, ...after];
	}
}
