/** The arguments of a plain program. A group is left out whole when one of its placeholders has no value. */
export type Template = readonly (string | readonly string[])[];

/** What placeholders stand for. All of it is made by us or by the operator: numbers, names out of closed lists, names of files in the run's folder. */
export type Values = Readonly<Record<string, string | number | undefined>>;

/** `{name}` is a placeholder, `{{name}}` means the text `{name}`; other braces mean themselves. */
const placeholder = /\{\{(\w+)\}\}|\{(\w+)\}/g;

/** The placeholders of some arguments. */
export function placeholdersIn(template: Template): ReadonlySet<string> {
	const names = template
		.flat()
		.flatMap((argument) => [...argument.matchAll(placeholder)].map(([, , name]) => name));
	return new Set(names.filter((name) => name !== undefined));
}

/** The placeholders outside of groups: without their values the program cannot be started. */
export function requiredIn(template: Template): ReadonlySet<string> {
	return placeholdersIn(template.filter((argument) => typeof argument === 'string'));
}

/** The arguments of one run. A value changes the text of its argument, never the number of arguments. */
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
