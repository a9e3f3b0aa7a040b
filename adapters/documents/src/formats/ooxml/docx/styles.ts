import type { Attributes, XmlHandler } from '../../../markup/xml.ts';
import type { OfficePackage } from '../package.ts';

/** What a paragraph has, by itself or from its style. */
export interface ParagraphLook {
	/** Its list, and how deep it is within. */
	list?: string;
	level?: number;
	/** 0 to 8 for headings, 9 for text. */
	outline?: number;
	startsPage?: boolean;
}

/** Looks of paragraph styles by id. */
export type Styles = (id: string) => ParagraphLook;

interface Style {
	readonly look: ParagraphLook;
	basedOn?: string;
}

const titles = /^(?:title|subtitle|heading [1-9])$/i;
const deepest = 32;

/** Reads the paragraph styles of a document. */
export async function stylesOf(office: OfficePackage, part: string | undefined): Promise<Styles> {
	const reader = new StyleSheet();
	if (part) await office.readIfSound(part, reader);
	const known = new Map<string, ParagraphLook>();
	return (id) => {
		const look = known.get(id) ?? reader.look(id);
		known.set(id, look);
		return look;
	};
}

/** Sets what an element within the properties of a paragraph says. */
export function setLook(look: ParagraphLook, name: string, { 'w:val': value }: Attributes): void {
	if (name === 'w:numId' && value) look.list = value;
	else if (name === 'w:ilvl') look.level = Math.min(8, Math.max(0, Number(value) || 0));
	else if (name === 'w:outlineLvl') look.outline = Number(value ?? 9);
	else if (name === 'w:pageBreakBefore') look.startsPage = isOn(value);
}

/** Whether a switch is on: those without a value are. */
export function isOn(value: string | undefined): boolean {
	return !(value === '0' || value === 'false' || value === 'off' || value === 'none');
}

class StyleSheet implements XmlHandler {
	readonly #styles = new Map<string, Style>();
	#style: Style | undefined;

	open(name: string, attributes: Attributes): void {
		const value = attributes['w:val'];
		if (name === 'w:style') this.#begin(attributes);
		else if (!this.#style) return;
		else if (name === 'w:basedOn' && value) this.#style.basedOn = value;
		else if (name === 'w:name' && titles.test(value ?? '')) this.#style.look.outline ??= 0;
		else setLook(this.#style.look, name, attributes);
	}

	close(name: string): void {
		if (name === 'w:style') this.#style = undefined;
	}

	/** A style over those it is based on, which may lead in circles. */
	look(id: string): ParagraphLook {
		const looks: ParagraphLook[] = [];
		let style = this.#styles.get(id);
		while (style && looks.length < deepest) {
			looks.unshift(style.look);
			style = style.basedOn ? this.#styles.get(style.basedOn) : undefined;
		}
		return Object.assign({}, ...looks) as ParagraphLook;
	}

	#begin({ 'w:type': type, 'w:styleId': id }: Attributes): void {
		if (type !== undefined && type !== 'paragraph') return;
		this.#style = { look: {} };
		if (id) this.#styles.set(id, this.#style);
	}
}
