import { useSignalEffect } from '@preact/signals';
import { useCallback, useEffect, useRef, useState } from 'preact/hooks';
import { type ApiError, toApiError } from './error.ts';
import { connection } from './feed.ts';
import { type List, type Page, withFirstPage } from './pages.ts';
import { getJson, type Query } from './request.ts';

/** The state of a value that a view loads. */
export interface Loaded<T> {
	/** The newest value. It stays while the next one is loaded, and when that fails. */
	readonly value: T | undefined;
	/** The error of the last attempt. */
	readonly error: ApiError | undefined;
	/** Whether the first value, or one that the user requested, is being loaded. */
	readonly isLoading: boolean;
	/** Loads the value again; of a list, its first page. */
	reload(): void;
}

/** The loaded part of a list of the API, newest first. */
export interface Pages<T> extends Loaded<readonly T[]> {
	readonly hasMore: boolean;
	/** Loads the next page. */
	more(): void;
	/** Replaces an item; removes it when `item` is absent. */
	change(id: string, item?: T): void;
}

interface Polling {
	/** How often the value is loaded again while the page is visible. */
	readonly everyMs?: number;
}

type State<T> = Omit<Loaded<T>, 'reload'>;
/** Resolves with a function that updates the value with the response. */
type Request<T> = (signal: AbortSignal) => Promise<(before: T | undefined) => T>;

const initialState = { value: undefined, error: undefined, isLoading: true };

/** Loads a value when the view is mounted and when one of `inputs` changes. A newer request aborts an older one. */
function useRequests<T>(first: Request<T>, inputs: readonly unknown[], { everyMs }: Polling) {
	const [state, setState] = useState<State<T>>(initialState);
	const running = useRef<AbortController | undefined>(undefined);
	const run = useCallback(async (request: Request<T>, isBackground = false) => {
		// A background request must not abort one that the user waits for.
		if (isBackground && running.current) return;
		running.current?.abort();
		const controller = new AbortController();
		running.current = controller;
		if (!isBackground) setState((before) => ({ ...before, isLoading: true }));
		try {
			const change = await request(controller.signal);
			if (controller.signal.aborted) return;
			setState(({ value }) => ({ value: change(value), error: undefined, isLoading: false }));
		} catch (error) {
			if (controller.signal.aborted) return;
			setState(({ value }) => ({ value, error: toApiError(error), isLoading: false }));
		} finally {
			if (running.current === controller) running.current = undefined;
		}
	}, []);
	const start = useCallback((isBackground: boolean) => void run(first, isBackground), [...inputs]);
	useEffect(() => {
		setState(initialState);
		start(false);
		return () => running.current?.abort();
	}, [start]);
	useEffect(() => {
		if (everyMs === undefined) return;
		const timer = setInterval(() => document.visibilityState === 'visible' && start(true), everyMs);
		return () => clearInterval(timer);
	}, [start, everyMs]);
	const reload = useCallback(() => start(false), [start]);
	useSignalEffect(() => {
		if (connection.value === 'restored' && state.error?.status === 0) reload();
	});
	return { state, setState, run, reload };
}

/** Loads a value while the view is mounted. */
export function useLoaded<T>(
	load: (signal: AbortSignal) => Promise<T>,
	inputs: readonly unknown[],
	polling: Polling = {},
): Loaded<T> {
	const request: Request<T> = async (signal) => {
		const value = await load(signal);
		return () => value;
	};
	const { state, reload } = useRequests(request, inputs, polling);
	return { ...state, reload };
}

/** Loads a list page by page. */
export function usePages<T extends { readonly id: string }>(
	path: string,
	query: Query,
	polling: Polling = {},
): Pages<T> {
	const load = (signal: AbortSignal, after?: string) => getJson<Page<T>>(path, { query: { ...query, after }, signal });
	const first: Request<List<T>> = async (signal) => {
		const page = await load(signal);
		return (before) => withFirstPage(before?.items ?? [], before?.hasMore ?? false, page);
	};
	const { state, setState, run, reload } = useRequests(first, [path, JSON.stringify(query)], polling);
	const { items, hasMore = false } = state.value ?? {};
	const more = () =>
		run(async (signal) => {
			const page = await load(signal, items?.at(-1)?.id);
			return (before) => ({ items: [...(before?.items ?? []), ...page.data], hasMore: page.has_more });
		});
	const change = (id: string, item?: T) =>
		setState(({ value, ...rest }) => ({
			...rest,
			value: value && {
				...value,
				items: value.items.flatMap((each) => (each.id !== id ? [each] : item ? [item] : [])),
			},
		}));
	return { ...state, value: items, hasMore, reload, more: () => void more(), change };
}
