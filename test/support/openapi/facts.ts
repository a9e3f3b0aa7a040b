import { randomUUID } from 'node:crypto';
import type fc from 'fast-check';
import type { Operation } from './document.ts';
import { fileMark } from './schemas.ts';

/** A file of a multipart body, as it stands in a generated value. */
export interface FileValue {
	readonly [fileMark]: {
		readonly filename: string;
		readonly bytes: Uint8Array;
		/** Whether the server takes it. */
		readonly good: boolean;
	};
}

/** What no document says about one deployment: which things exist there. */
export interface Facts {
	/**
	 * By `<operation> <property>` (`POST /v1/videos input_reference.image_url`): the texts that name something which exists. Any
	 * other is well-formed and refused all the same. Headers of a request have their documented names here.
	 */
	readonly known: Readonly<Record<string, readonly string[]>>;
	/** By `<operation> <property>`: whether a text that is none of the known ones is taken too, for what can be spelled in many ways. */
	readonly spellings?: Readonly<Record<string, (text: string) => boolean>>;
	/** `<operation> <parameter>` of a query without which the operation fails here. */
	readonly needed?: readonly string[];
	/** Operations whose answer never ends: of a stream of theirs only the head is read. */
	readonly endless?: readonly string[];
	/** By `<operation> <property>`: values of four right requests in five, where others would take long. */
	readonly usual?: Readonly<Record<string, readonly unknown[]>>;
	/** Files for binary fields, good ones and bad ones. */
	readonly files: readonly FileValue[];
	/** Whole bodies whose fields depend on each other, by operation. All of them are accepted. */
	readonly scenes?: Readonly<Record<string, fc.Arbitrary<unknown>>>;
	/**
	 * By operation: whether a body is taken that the document allows and whose members all exist. For what no document can say, because
	 * members depend on each other.
	 */
	readonly whole?: Readonly<Record<string, (body: Readonly<Record<string, unknown>>) => boolean>>;
	/** Operations that take the bad files too. */
	readonly anyFile?: readonly string[];
	/** Operations whose JSON bodies may spell numbers and booleans as texts, as forms do. */
	readonly spelled?: readonly string[];
	/** Values that are taken although the schema lists others, each for the reason that its entry gives. */
	readonly tolerated: readonly Tolerance[];
	/** An `Idempotency-Key` that another request has used already. */
	readonly usedKey?: string;
	/** A value of a path parameter with which the operation succeeds. */
	live(operation: Operation, parameter: string): Promise<string>;
	/** Values of a path parameter that the operation answers with 404, well-formed ones among them. */
	absent(operation: Operation, parameter: string): readonly string[];
	/** Clears away what a request made. */
	clear(operation: Operation, status: number, body: unknown): Promise<void>;
}

/** Something that the product takes on purpose although the schema does not list it. */
export interface Tolerance {
	/** `<operation> <property>`, or `*` for every optional member. */
	readonly at: string;
	readonly value: string | number | null;
	/** What the product makes of it; undefined: as if the member were absent. */
	readonly means: string | undefined;
	readonly reason: string;
}

/** Makes a file value. */
export function fileValue(filename: string, bytes: Uint8Array, good: boolean): FileValue {
	return { [fileMark]: { filename, bytes, good } };
}

/** Tells files from other generated values. */
export function isFile(value: unknown): value is FileValue {
	return typeof value === 'object' && value !== null && fileMark in value;
}

/** A text that no other request has sent. */
export function unique(): string {
	return `fuzz-${randomUUID()}`;
}
