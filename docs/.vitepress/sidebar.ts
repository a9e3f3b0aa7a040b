/** A page of the website, or a group of pages. */
export interface SidebarItem {
	readonly text: string;
	/** The address of a page, without its ending. */
	readonly link?: string;
	readonly items?: SidebarItem[];
	readonly collapsed?: boolean;
}

const page = (text: string, link: string): SidebarItem => ({ text, link });
const adapter = (name: string) => page(name, `/adapters/${name}`);

/** Every page that is written by hand or by `npm run reference`, by the role of the reader. */
export const sidebar: readonly SidebarItem[] = [
	{
		text: 'Start',
		items: [
			page('Run it', '/guides/run'),
			page('Embed it', '/guides/embedding'),
			page('Compare', '/comparison'),
			page('Troubleshooting', '/troubleshooting'),
		],
	},
	{
		text: 'Concepts',
		items: [
			page("A request's life", '/concepts/request'),
			page("A job's life", '/concepts/job'),
			page('Models in the config', '/models'),
		],
	},
	{
		text: 'Build',
		items: [
			page('Write a model', '/guides/write-a-model'),
			page('Write a backend', '/guides/write-a-backend'),
			page('Write a plugin', '/guides/write-a-plugin'),
			page('TypeScript', '/guides/typescript'),
			page('Logging in a host', '/guides/logging'),
		],
	},
	{
		text: 'Operate',
		items: [
			page('Deploy', '/guides/deploy'),
			page('Docker', '/guides/deploy-docker'),
			page('Kubernetes', '/guides/deploy-kubernetes'),
			page('systemd', '/guides/deploy-systemd'),
			page('Proxies', '/guides/proxies'),
			page('Backup', '/guides/backup'),
			page('Files for a deployment', '/deploy/README'),
			page('Secure', '/guides/secure'),
			page('Upgrade', '/guides/upgrade'),
			page('Move', '/guides/move'),
			page('Versioning', '/compatibility'),
		],
	},
	{
		text: 'Adapters',
		collapsed: true,
		items: [
			...['openai', 'ai-sdk', 'comfyui', 'llama-cpp', 'sherpa-onnx', 'builtin', 'command'].map(adapter),
			...['sqlite', 'postgres', 'fs', 's3', 'keys'].map(adapter),
			...['memory', 'sharp', 'documents', 'audio', 'hosts'].map(adapter),
		],
	},
	{
		text: 'Reference',
		items: [
			page('Config', '/reference/config'),
			page('Errors', '/reference/errors'),
			page('Limits', '/limits'),
			page('API of the packages', '/api/'),
		],
	},
];

/** The addresses of all pages of a sidebar. */
export function linksOf(items: readonly SidebarItem[]): readonly string[] {
	return items.flatMap(({ link, items: inner = [] }) => [...(link ? [link] : []), ...linksOf(inner)]);
}
