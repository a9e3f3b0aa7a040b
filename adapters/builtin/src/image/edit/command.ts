import type { ImageSize } from '@plinth/plugin-image/model';
import type { RawImage } from '@plinth/toolkit';
import type { Sharp } from 'sharp';

/** The arguments of a clause. For `x` and `y`, -1 is left or top, 0 the centre. */
export type Args = Partial<Record<'value' | 'factor' | 'sign' | 'ratio' | 'x' | 'y' | 'input', number>> &
	Partial<Record<'unit' | 'color' | 'text', string>> & { readonly size?: ImageSize };

/** A command with its arguments. `value` is within the range, or 0 for none. `label` describes it: `blur 4 px`. */
export interface Step {
	readonly command: Command;
	readonly args: Args;
	readonly value: number;
	readonly unit: string;
	readonly label: string;
}

/** The input of a command. Input pictures are counted from 0. */
export interface Edit extends Omit<Step, 'command' | 'label'> {
	readonly picture: RawImage;
	/** A pipeline that starts with `picture`. */
	readonly image: Sharp;
	readonly sizes: readonly ImageSize[];
	decode(index: number, size: ImageSize): Promise<RawImage>;
	warn(sentence: string): void;
}

/** Runs a command. A returned string is the reason why nothing was done. */
export type Run = (edit: Edit) => Sharp | string | Promise<Sharp | string>;

/** The first unit applies to a number without a unit, the last one to `usual`, the default number. */
export type Range = readonly [units: readonly string[], usual: number, min: number, max: number];

/** A row of the table. */
export interface Command {
	readonly name: string;
	readonly words: RegExp;
	readonly run: Run;
	readonly range: Range;
	/** Names of accepted arguments, and of arguments of which one is required. */
	readonly accepts: readonly string[];
	readonly needs: readonly string[];
	/** Whether it changes the size of the picture. */
	readonly resizes: boolean;
}
