/** The arguments of a plain program. A group is omitted when one of its placeholders has no value. */
export type Template = readonly (string | readonly string[])[];

/**
 * The values of placeholders. None is text of a client: they are numbers, names from closed lists, and
 * names of files in the run's folder.
 */
export type Values = Readonly<Record<string, string | number | undefined>>;

/** `{name}` is a placeholder, `{{name}}` is the text `{name}`; other braces are literal. */
const placeholder = /\{\{(\w+)\}\}|\{(\w+)\}/g;

/** The placeholders of some arguments. */
export function placeholdersIn(template: Template): ReadonlySet<string> {
	const names = template.flat().flatMap((argument) => [...argument.matchAll(placeholder)].map(([, , name]) => name));
	return new Set(names.filter((name) => name !== undefined));
}

/** The placeholders outside of groups, which must have a value. */
export function requiredIn(template: Template): ReadonlySet<string> {
	return placeholdersIn(template.filter((argument) => typeof argument === 'string'));
}

/** One warning for each value that the arguments do not use. */
export function warningsOf(template: Template, values: Readonly<Record<string, unknown>>): string[] {
	const names = placeholdersIn(template);
	const ignored = Object.keys(values).filter((name) => values[name] !== undefined && !names.has(name));
	const parameters = ignored.map((name) => name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`));
	return parameters.map((parameter) => `This model ignores ${parameter}.`);
}

/** The arguments of one run. A value never changes the number of arguments. */
export function fillTemplate(template: Template, values: Values): string[] {
	return template.flatMap((part) => {
		const group = typeof part === 'string' ? [part] : part;
		const isComplete = [...placeholdersIn(group)].every((name) => values[name] !== undefined);
		if (isComplete) return group.map((argument) => fillArgument(argument, values));
		if (typeof part !== 'string') return [];
		throw new TypeError(`The argument ${part} has a placeholder without a value.`);
	});
}

function fillArgument(argument: string, values: Values): string {
	return argument.replace(placeholder, (_, literal?: string, name: string = '') =>
		literal === undefined ? `${values[name]}` : `{${literal}}`,
	);
}
