import { z } from 'zod';
import { placeholdersIn, requiredIn, type Template } from './argv.ts';

/** A number or its text: in YAML configs, the value of `${NAME}` is a string. */
export const number = () => z.coerce.number<number | string>();

const argument = z.string().refine((text) => !text.includes('\0'), 'an argument cannot contain a NUL');

/** Options of every program. */
const baseOptions = {
	/**
	 * Additional environment variables besides `PATH`, `LANG`, `HOME` and `TMPDIR`. `HOME` and `TMPDIR` are
	 * the run's private folder unless set here.
	 */
	env: z.record(z.string().regex(/^[A-Za-z_][A-Za-z0-9_]*$/), argument).default({}),
	/** Timeout of one run, in seconds, from the start of the program to the last byte. */
	timeoutSeconds: number().positive().max(86_400).default(600),
	/** Maximum concurrent runs. */
	concurrency: number().int().min(1).max(256).default(1),
	/** Maximum queued requests; more get 503. */
	waiting: number().int().min(0).max(10_000).default(64),
	/** Maximum bytes of a result, and of the program's output. */
	maxOutputBytes: number().int().min(1).max(2_147_483_647).default(268_435_456),
};

/** The checked options of every program. */
export type ProgramOptions = z.output<z.ZodObject<typeof baseOptions>>;

/** Options of a program of the JSON protocol. */
export const jsonProgram = z.strictObject({
	...baseOptions,
	/** The protocol: `json`, with one message per line, or `plain`, with arguments and input. */
	protocol: z.literal('json'),
	/** The program and its arguments. */
	argv: z.array(argument).min(1),
	/** Maximum bytes of one line of output. */
	maxLineBytes: number().int().min(64).max(67_108_864).default(1_048_576),
});

/** The placeholders of a kind of model. */
interface Placeholders {
	/** Have a value in every request. */
	readonly required: readonly string[];
	/** Have a value only when the client sends one, and must be in groups. */
	readonly optional: readonly string[];
	/** Files of the client. Outside of a group, the model refuses requests without the file. */
	readonly files: readonly string[];
}

/** A plain program: text on stdin, or in the file `{input}`; the result on stdout, or in the file `{output}`. */
export function plainProgram(placeholders: Placeholders) {
	const part = z.union([argument, z.array(argument).min(1)]);
	const check = reporting((template: Template) => problemsOf(template, placeholders));
	return z.strictObject({
		...baseOptions,
		protocol: z.literal('plain'),
		/** The program and its arguments, with placeholders for values of the request. */
		argv: z.array(part).min(1).superRefine(check),
	});
}

/** The progress of a plain program, from its stderr. */
export function progressOf({ required }: Placeholders) {
	const unknown = reporting((total: string) => unknownIn([total], required));
	const progress = z.strictObject({
		/** A regular expression for one line. Its first group is the amount done; the optional second one is the total. */
		pattern: z.string().transform(toPattern),
		/** The total when the pattern has none; may contain placeholders that always have a value. */
		total: z.string().default('100').superRefine(unknown),
	});
	return progress.optional();
}

/** Makes an issue of every problem of a value. */
function reporting<T>(problems: (value: T) => readonly string[]) {
	return (value: T, context: z.core.$RefinementCtx<T>) => {
		for (const message of problems(value)) context.addIssue({ code: 'custom', message });
	};
}

/** The options of a program of the JSON protocol. */
export type JsonProgram = z.output<typeof jsonProgram>;

/** The options of a plain program. */
export type PlainProgram = z.output<ReturnType<typeof plainProgram>>;

/** The options of its progress. */
export type Progress = NonNullable<z.output<ReturnType<typeof progressOf>>>;

function problemsOf(template: Template, { required, optional, files }: Placeholders): readonly string[] {
	const [program = ''] = template;
	const hasProgram = typeof program === 'string' && placeholdersIn([program]).size === 0;
	const ungrouped = optional.filter((name) => requiredIn(template).has(name));
	return [
		...unknownIn(template, ['input', 'output', ...required, ...optional, ...files]),
		...(hasProgram ? [] : ['The first argument is the program: a text without placeholders']),
		...ungrouped.map((name) => `{${name}} may have no value: put it into a group: ["--${name}", "{${name}}"]`),
	];
}

function unknownIn(template: Template, known: readonly string[]): readonly string[] {
	const unknown = [...placeholdersIn(template)].filter((name) => !known.includes(name));
	const list = known.join(', ');
	return unknown.map((name) => `There is no placeholder {${name}}, only: ${list}. {{${name}}} means the text itself`);
}

/** Compiles a regular expression; an invalid one becomes an issue. */
export function toPattern(text: string, context: z.core.$RefinementCtx<string>): RegExp {
	try {
		return new RegExp(text, 'm');
	} catch (error) {
		context.issues.push({ code: 'custom', input: text, message: (error as Error).message });
		return z.NEVER;
	}
}
