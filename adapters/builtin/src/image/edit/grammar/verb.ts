import type { Bitmap, BoundedSize, Size } from '../bitmap.ts';
import type { Arguments, Parameters } from './parameters.ts';

/** What an operation works with besides its picture. */
export interface Tools {
	/** Throws when the work is to stop. Called between operations and between the rows of long ones. */
	check(): void;
	/** Tells the client something, one sentence. */
	note(sentence: string): void;
	/** Says why there is nothing to do, as the end of a sentence; the picture then stays as it is. */
	skip(why: string): void;
	/** For everything that looks random. */
	readonly seed: number;
	/** True at low quality: cheaper filters. */
	readonly fast: boolean;
	/** True when the result may be transparent: nothing puts white behind it. */
	readonly transparent: boolean;
	/** The further pictures that the operation asked for, in its order. */
	readonly pictures: readonly Bitmap[];
	/** One byte a pixel, 255 where the picture has to stay; absent without a mask. */
	readonly keep?: Uint8Array;
	/** 1 for the real picture; smaller for a preview of it. Lengths in pixels are multiplied by it. */
	readonly scale: number;
}

/** A further picture of the request, and the size it is wanted in. */
export interface WantedPicture extends Size {
	/** In the request, counted from 0. */
	readonly index: number;
	readonly mode: 'cover' | 'contain' | 'fill';
}

/** One row of the table of operations: what it is called, what it takes, and what it does to the pixels. */
export interface Verb<P extends Parameters = Parameters> {
	/** Unique, and how it is listed. */
	readonly name: string;
	/** Phrases that call it, in any inflection. `=word` means exactly this form. */
	readonly phrases: readonly string[];
	readonly takes: P;
	/** What it does, in words. */
	readonly does: string;
	/** What is lacking for it, as the end of a sentence; undefined when nothing is. */
	lacks?(args: Arguments<P>): string | undefined;
	/** What is said when it was done: `blur 4 px`. */
	say(args: Arguments<P>): string;
	/** The size it makes; absent where it keeps the size. Not possible with a mask. */
	size?(size: Size, args: Arguments<P>, pictures: readonly Size[]): BoundedSize;
	/** How far a pixel sees: 0 where only its own value counts. Absent where the whole picture, or the place in it, counts. */
	reach?(args: Arguments<P>): number;
	/** Further pictures that it needs; `pictures` are the sizes of all of the request. */
	wants?(size: Size, args: Arguments<P>, pictures: readonly Size[]): readonly WantedPicture[];
	/** True when it works on the hole of a mask, and on nothing else. */
	readonly needsMask?: boolean;
	/** Things that are named beside it restrict nothing: the background of the dog is the background. */
	readonly anywhere?: true;
	/** Names of operations that are a part of this one when they stand behind it: text with a shadow. */
	readonly absorbs?: readonly string[];
	/** Changes the picture in place, or makes another one. */
	run(picture: Bitmap, args: Arguments<P>, tools: Tools): Bitmap | Promise<Bitmap>;
}

/** Declares a row; `phrases` are separated by bars. */
export function verb<P extends Parameters>(row: Omit<Verb<P>, 'phrases'> & { readonly phrases: string }): Verb {
	const phrases = row.phrases.split('|').map((phrase) => phrase.trim());
	// The arguments are always those that this row's own parameters have read.
	return { ...row, phrases } as unknown as Verb;
}

/** The reach of what changes every pixel by itself. */
export function nowhere(): number {
	return 0;
}
