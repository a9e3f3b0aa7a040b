import { z } from 'zod';
import { placeholdersIn, requiredIn, type Template } from './argv.ts';

// Configs in YAML hold `${NAME}`, which arrives as a string.
const number = () => z.coerce.number<number | string>();

const argument = z.string().refine((text) => !text.includes('\0'), 'no argument can hold a NUL');

/** What every program is started with. */
const baseOptions = {
	/** What the program knows of the environment beside `PATH`, `LANG`, `HOME` and `TMPDIR`; both folders are its private one unless set here. */
	env: z.record(z.string().regex(/^[A-Za-z_][A-Za-z0-9_]*$/), argument).default({}),
	/** How long one run may take, in seconds, from the start of the program to the last byte that is read. */
	timeoutSeconds: number().positive().max(86_400).default(600),
	/** Programs of this model that run at the same time. */
	concurrency: number().int().min(1).max(256).default(1),
	/** How many requests wait for their turn beyond those that run; 503 for more. */
	waiting: number().int().min(0).max(10_000).default(64),
	/** Most bytes of a result, and of what the program prints in all. */
	maxOutputBytes: number().int().min(1).max(2_147_483_647).default(268_435_456),
};

/** A program that speaks the JSON protocol. */
export const jsonProgram = z.strictObject({
	...baseOptions,
	/** How the program is spoken to: `json`, by messages, one a line; `plain`, by its arguments and its input. */
	protocol: z.literal('json'),
	/** The program and its arguments. */
	argv: z.array(argument).min(1),
	/** Most bytes of one line that the program prints. */
	maxLineBytes: number().int().min(64).max(67_108_864).default(1_048_576),
});

/** The placeholders of a kind of model. */
export interface Placeholders {
	/** They have a value in every request. */
	readonly required: readonly string[];
	/** They have one where the client sends it, and so belong into groups. */
	readonly optional: readonly string[];
	/** Files that a client may send: outside of a group, the model refuses requests without. */
	readonly files: readonly string[];
}

/** A plain program: text on stdin, or in the file `{input}`; the result on stdout, or in the file `{output}`. */
export function plainProgram(placeholders: Placeholders) {
	return z.strictObject({
		...baseOptions,
		protocol: z.literal('plain'),
		/** The program and its arguments, in which placeholders stand for what the client asks for. */
		argv: z
			.array(z.union([argument, z.array(argument).min(1)]))
			.min(1)
			.superRefine((template, context) => {
				for (const message of problemsOf(template, placeholders)) {
					context.addIssue({ code: 'custom', message });
				}
			}),
	});
}

/** How far a plain program is, from what it prints on stderr. */
export function progressOf({ required }: Placeholders) {
	return z
		.strictObject({
			/** A regular expression for one line. Its first group is how much is done, its second one, where it has one, how much there is. */
			pattern: z.string().transform(toPattern),
			/** How much there is, where the pattern does not tell; may hold placeholders that have a value in every request. */
			total: z
				.string()
				.default('100')
				.superRefine((total, context) => {
					for (const message of unknownIn([total], required)) {
						context.addIssue({ code: 'custom', message });
					}
				}),
		})
		.optional();
}

/** The options of a program that speaks JSON. */
export type JsonProgram = z.output<typeof jsonProgram>;

/** The options of a plain program. */
export type PlainProgram = z.output<ReturnType<typeof plainProgram>>;

/** The options of its progress. */
export type Progress = NonNullable<z.output<ReturnType<typeof progressOf>>>;

function problemsOf(template: Template, placeholders: Placeholders): string[] {
	const { required, optional, files } = placeholders;
	const problems = unknownIn(template, ['input', 'output', ...required, ...optional, ...files]);
	const [program] = template;
	if (Array.isArray(program) || placeholdersIn([program ?? '']).size > 0) {
		problems.push('The first argument is the program: a text without placeholders');
	}
	const ungroupedNames = requiredIn(template);
	const ungrouped = optional.filter((name) => ungroupedNames.has(name));
	const remedies = ungrouped.map(
		(name) =>
			`{${name}} may have no value: put it into a group, which is then left out, such as ["--${name}", "{${name}}"]`,
	);
	return [...problems, ...remedies];
}

function unknownIn(template: Template, known: readonly string[]): string[] {
	return [...placeholdersIn(template)]
		.filter((name) => !known.includes(name))
		.map(
			(name) =>
				`There is no placeholder {${name}}. There are: ${known.join(', ')}. {{${name}}} means the text itself`,
		);
}

/** A pattern that `RegExp` takes; the issue of one that it does not says why. */
export function toPattern(text: string, context: z.core.$RefinementCtx<string>): RegExp {
	try {
		return new RegExp(text, 'm');
	} catch (error) {
		context.issues.push({ code: 'custom', input: text, message: (error as Error).message });
		return z.NEVER;
	}
}
