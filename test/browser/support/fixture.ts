import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, onTestFinished } from 'vitest';
import { type Api, apiOf } from './api.ts';
import { launchBrowser, signIn, type Visit, visit } from './browser.ts';
import { chooseTab } from './playground.ts';
import { type ConsoleServer, type ServerOptions, startServer } from './server.ts';

/** A server and a browser that all tests of a file share. Available while the tests run. */
export interface ConsoleFixture {
	/** The URL of the server, without a trailing slash. */
	readonly url: string;
	readonly api: Api;
	/** The log of the server so far. */
	log(): string;
	/** Opens an address, by default the page, until the test ends. */
	visit(url?: string): Promise<Visit>;
	/** Opens the page with the key at a view, such as `models`. */
	open(view?: string, url?: string): Promise<Visit>;
	/** Opens the page with the key at a tab of the Playground, such as `Video`. */
	openTab(tab: string, url?: string): Promise<Visit>;
}

/** Starts a server and a browser before the tests of a file, and stops them after the last one. */
export function consoleFixture(options: () => ServerOptions = () => ({})): ConsoleFixture {
	let server: ConsoleServer;
	let browser: Browser;
	beforeAll(async () => {
		[server, browser] = await Promise.all([startServer(options()), launchBrowser()]);
	});
	afterAll(async () => {
		await browser?.close();
		await server?.stop();
	});
	const opened = async (url = server.url) => {
		const visited = await visit(browser, url);
		onTestFinished(() => visited.context.close());
		return visited;
	};
	const open = async (view?: string, url?: string) => {
		const visited = await opened(url);
		await signIn(visited, view);
		return visited;
	};
	return {
		get url() {
			return server.url;
		},
		get api() {
			return apiOf(server.url);
		},
		log: () => server.log(),
		visit: opened,
		open,
		async openTab(tab, url) {
			const visited = await open(undefined, url);
			await chooseTab(visited.page, tab);
			return visited;
		},
	};
}
