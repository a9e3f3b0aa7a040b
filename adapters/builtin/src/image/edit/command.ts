import type { ImageSize } from '@plinth/plugin-image/model';
import type { RawImage } from '@plinth/toolkit';
import type { Sharp } from 'sharp';

/** What a clause says. For `x` and `y`, -1 is left or top, 0 the centre. */
export type Args = Partial<Record<'value' | 'factor' | 'sign' | 'ratio' | 'x' | 'y' | 'input', number>> &
	Partial<Record<'unit' | 'color' | 'text', string>> & { readonly size?: ImageSize };

/** A command with its arguments. The number is within the bounds; 0: none. `said` is in words: `blur 4 px`. */
export interface Step {
	readonly command: Command;
	readonly args: Args;
	readonly value: number;
	readonly unit: string;
	readonly said: string;
}

/** What a command works with. Input pictures are counted from 0. */
export interface Edit extends Omit<Step, 'command' | 'said'> {
	readonly picture: RawImage;
	/** A pipeline from it. */
	readonly image: Sharp;
	readonly sizes: readonly ImageSize[];
	decode(index: number, size: ImageSize): Promise<RawImage>;
	warn(sentence: string): void;
}

/** A string says why nothing was done. */
export type Run = (edit: Edit) => Sharp | string | Promise<Sharp | string>;

/** The first unit is that of a number without one, the last that of the usual number. */
export type Range = readonly [units: readonly string[], usual: number, min: number, max: number];

/** A row of the table. */
export interface Command {
	readonly name: string;
	readonly words: RegExp;
	readonly run: Run;
	readonly range: Range;
	/** Names of arguments that it takes, and of those of which it needs one. */
	readonly takes: readonly string[];
	readonly needs: readonly string[];
	/** Whether it changes the size of the picture. */
	readonly resizes: boolean;
}
