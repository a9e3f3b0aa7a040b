import type { z } from 'zod';
import { isUpload } from '../../contract/http/upload.ts';
import { nearest } from '../../contract/nearest.ts';
import { pathName } from './issues.ts';

/** The path of a member, as `param` has it, and a question which one was meant; empty when none is near. */
type UnknownMember = Readonly<Record<'name' | 'hint', string>>;

/** What is looked at of a schema, which another copy of zod may have made. */
interface Schema {
	readonly _zod: {
		readonly def: Partial<Readonly<Record<'catchall' | 'element' | 'innerType' | 'in', Schema>>> & {
			readonly type: string;
			readonly shape?: Readonly<Record<string, Schema>>;
			readonly options?: readonly Schema[];
			readonly values?: readonly unknown[];
		};
	};
}

/**
 * The members that a schema does not know and would drop, at any depth, ten at most. What a schema transforms before it
 * checks it counts as known, and so does what a loose object holds.
 */
export function unknownMembers(schema: z.ZodType, value: unknown): readonly UnknownMember[] {
	const found = membersBeyond(schema as unknown as Schema, value, []).slice(0, 10);
	return found.map(({ path, shape }) => {
		const near = nearest(String(path.at(-1)).slice(0, 100), Object.keys(shape));
		return { name: pathName(path).slice(0, 200), hint: near === undefined ? '' : ` Did you mean ${near}?` };
	});
}

/** A path that is unknown, and the members that its object may have. */
interface Stray {
	readonly path: readonly PropertyKey[];
	readonly shape: object;
}

function membersBeyond({ _zod: { def } }: Schema, value: unknown, path: Stray['path']): readonly Stray[] {
	if (typeof value !== 'object' || value === null || isUpload(value)) return [];
	const { shape, catchall, element, options } = def;
	if (shape) {
		return Object.entries(value).flatMap(([name, member]) => {
			// As for a known member, `null` means that it is absent.
			if (member === null || member === undefined) return [];
			const at = [...path, name];
			const known = Object.hasOwn(shape, name) ? shape[name] : catchall;
			return known ? membersBeyond(known, member, at) : [{ path: at, shape }];
		});
	}
	if (element && Array.isArray(value)) {
		return value.flatMap((item, index) => membersBeyond(element, item, [...path, index]));
	}
	if (options) {
		const forms = options.filter((option) => mayBe(option, value)).map((option) => membersBeyond(option, value, path));
		return forms.sort((a, b) => a.length - b.length)[0] ?? [];
	}
	const inner = def.innerType ?? def.in;
	return inner ? membersBeyond(inner, value, path) : [];
}

/** Whether an object or array may have this form: by its kind, and by members with a fixed value such as `type`. */
function mayBe({ _zod: { def } }: Schema, value: object): boolean {
	if (def.type === 'array') return Array.isArray(value);
	if (!def.shape) return !['string', 'number', 'boolean', 'enum', 'literal', 'null'].includes(def.type);
	const members = value as Readonly<Record<string, unknown>>;
	const isOther = ([name, { _zod }]: [string, Schema]) => _zod.def.values?.includes(members[name]) === false;
	return !Array.isArray(value) && !Object.entries(def.shape).some(isOther);
}
