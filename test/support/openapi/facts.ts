import { randomUUID } from 'node:crypto';
import type fc from 'fast-check';
import type { Operation } from './document.ts';
import { fileMark } from './schemas.ts';

/** A file of a multipart body within a generated value. */
export interface FileValue {
	readonly [fileMark]: {
		readonly filename: string;
		readonly bytes: Uint8Array;
		/** Whether the server accepts it. */
		readonly isValid: boolean;
	};
}

/** Facts of one deployment that the OpenAPI document does not state, such as the ids of existing resources. */
export interface Facts {
	/**
	 * By `<operation> <property>` (`POST /v1/videos input_reference.image_url`): values that name an existing resource.
	 * Any other well-formed value is refused. Headers of a request have their documented names here.
	 */
	readonly known: Readonly<Record<string, readonly string[]>>;
	/** By `<operation> <property>`: whether a text is another spelling of a known value. */
	readonly spellings?: Readonly<Record<string, (text: string) => boolean>>;
	/** `<operation> <parameter>` of query parameters that this deployment requires. */
	readonly needed?: readonly string[];
	/** Operations whose response may be an endless event stream, of which only the head is read. */
	readonly endless?: readonly string[];
	/** By `<operation> <property>`: values for four of five valid requests, where other values would take long. */
	readonly usual?: Readonly<Record<string, readonly unknown[]>>;
	/** Valid and invalid files for binary fields. */
	readonly files: readonly FileValue[];
	/** By operation: complete bodies whose fields depend on each other. All of them are accepted. */
	readonly combinations?: Readonly<Record<string, fc.Arbitrary<unknown>>>;
	/**
	 * By operation: whether a body is accepted, for rules between members that the document cannot state. Only called for
	 * bodies that the document allows and whose resources exist.
	 */
	readonly bodyRules?: Readonly<Record<string, (body: Readonly<Record<string, unknown>>) => boolean>>;
	/** Operations that accept the invalid files, too. */
	readonly anyFile?: readonly string[];
	/** Operations whose JSON bodies may have numbers and booleans as text, as in forms. */
	readonly textualScalars?: readonly string[];
	/** Values that are accepted although the schema does not list them. Each has a reason. */
	readonly tolerated: readonly Tolerance[];
	/** An `Idempotency-Key` that another request has used. */
	readonly usedKey?: string;
	/** A value of a path parameter for which the operation succeeds. */
	live(operation: Operation, parameter: string): Promise<string>;
	/** Values of a path parameter for which the operation answers 404. Some of them are well-formed. */
	absent(operation: Operation, parameter: string): readonly string[];
	/** Deletes what a request created. */
	clear(operation: Operation, status: number, body: unknown): Promise<void>;
}

/** A value that the server accepts although the schema does not list it. */
export interface Tolerance {
	/** `<operation> <property>`, or `*` for every optional member. */
	readonly at: string;
	readonly value: string | number | null;
	/** The value that it is equivalent to; undefined if equivalent to an absent member. */
	readonly means: string | undefined;
	readonly reason: string;
}

/** Makes a file value. */
export function fileValue(filename: string, bytes: Uint8Array, isValid: boolean): FileValue {
	return { [fileMark]: { filename, bytes, isValid } };
}

/** Whether a generated value is a file. */
export function isFile(value: unknown): value is FileValue {
	return typeof value === 'object' && value !== null && fileMark in value;
}

/** A text that no other request has sent. */
export function unique(): string {
	return `fuzz-${randomUUID()}`;
}
