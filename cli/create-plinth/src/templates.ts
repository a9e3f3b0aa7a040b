/** A template, and the packages that its project needs. */
export interface Template {
	/** For the list of templates. */
	readonly description: string;
	/** Whether the project is a package that servers install. Otherwise the project is a server. */
	readonly isLibrary: boolean;
	/** Names of packages; `manifest.ts` has their versions. */
	readonly dependencies: readonly string[];
	readonly devDependencies: readonly string[];
}

const tools = ['@types/node', 'typescript', 'vitest'];

/** The templates by name. Their files are in the folder `templates`. */
export const templates = {
	app: {
		description: 'a server with its own config',
		isLibrary: false,
		dependencies: ['@plinth/core', '@plinth/plugin-video', 'plinth'],
		devDependencies: ['@plinth/testing', ...tools],
	},
	model: {
		description: 'an image model',
		isLibrary: true,
		dependencies: ['@plinth/core', '@plinth/plugin-image', 'zod'],
		devDependencies: ['@plinth/sharp', '@plinth/testing', '@plinth/toolkit', 'plinth', ...tools],
	},
	backend: {
		description: 'a backend: a blob store',
		isLibrary: true,
		dependencies: ['@plinth/core', '@plinth/toolkit', 'zod'],
		devDependencies: ['@plinth/testing', 'plinth', ...tools],
	},
	plugin: {
		description: 'a plugin with a route',
		isLibrary: true,
		dependencies: ['@plinth/core', 'zod'],
		devDependencies: ['@plinth/testing', 'plinth', ...tools],
	},
} as const satisfies Readonly<Record<string, Template>>;

/** The name of a template. */
export type TemplateName = keyof typeof templates;

/** Whether a text is the name of a template. */
export function isTemplate(name: string): name is TemplateName {
	return Object.hasOwn(templates, name);
}
