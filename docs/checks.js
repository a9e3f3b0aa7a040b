import { Application, Converter, makeRecursiveVisitor, ReflectionKind } from 'typedoc';

/** What typedoc's own checks are too strict or too lax for. */
export function load(app) {
	app.converter.on(Converter.EVENT_RESOLVE_END, ({ project }) => {
		// The main entry of a package with several has an empty name, which no page can have as its title.
		for (const module of project.getReflectionsByKind(ReflectionKind.Module)) module.name ||= 'main';
		app.options.setValue('intentionallyNotExported', schemasOf(project));
	});
	// The check for functions that typedoc has wants a comment for every method too, where an interface often says all
	// there is to say.
	app.on(Application.EVENT_VALIDATE_PROJECT, (project) => {
		for (const { name, signatures = [] } of project.getReflectionsByKind(ReflectionKind.Function)) {
			if (signatures.some((signature) => signature.hasComment())) continue;
			app.logger.validationWarning(`The exported function ${name} does not have any documentation`);
		}
	});
}

/** The schemas of types such as `z.output<typeof schema>`: their types tell all that is in them. */
function schemasOf(project) {
	const names = new Set();
	const visitor = makeRecursiveVisitor({ query: ({ queryType }) => names.add(queryType.name) });
	for (const { type } of project.getReflectionsByKind(ReflectionKind.TypeAlias)) type?.visit(visitor);
	return [...names];
}
