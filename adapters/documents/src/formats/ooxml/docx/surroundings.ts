import type { Graphics } from '../drawing/graphics.ts';
import type { Numbering } from './numbering.ts';
import type { Styles } from './styles.ts';

/** What the parts of a document share. */
export interface Surroundings {
	readonly styles: Styles;
	readonly numbering: Numbering;
	/** Charts and diagrams of this part. */
	readonly graphics: Graphics;
	/** Texts of documents within this one by the ids of their relations. */
	readonly inserted: ReadonlyMap<string, string>;
	/** Texts of notes by the name of the element that refers to them and their id. */
	readonly notes: ReadonlyMap<string, string>;
}
