import type { ComponentChildren } from 'preact';
import type { Loaded, Pages } from '../api.ts';
import { Button } from './button.tsx';
import { ErrorNote } from './notes.tsx';

/** Shows the error of loading, a text while loading, and the value once it is loaded. */
export function LoadedContent<T extends object>({
	of: { value, error, reload },
	name,
	children,
}: {
	readonly of: Pick<Loaded<T>, 'value' | 'error' | 'reload'>;
	/** What is loaded: `the files`. */
	readonly name: string;
	readonly children: (value: T) => ComponentChildren;
}) {
	return (
		<>
			{error && <ErrorNote error={error} onRetry={reload} />}
			{!value && !error && (
				<p class="loading" role="status">
					Loading {name}…
				</p>
			)}
			{value && children(value)}
		</>
	);
}

/** Shows a list of pages: its items or a text when it is empty, and a button that loads the next page. */
export function LoadedPages<T>({
	of: pages,
	noun,
	empty,
	children,
}: {
	readonly of: Pages<T>;
	/** The plural of the items: `files`. */
	readonly noun: string;
	readonly empty: ComponentChildren;
	readonly children: (items: readonly T[]) => ComponentChildren;
}) {
	const { hasMore, isLoading, more } = pages;
	return (
		<LoadedContent of={pages} name={`the ${noun}`}>
			{(items) => (
				<>
					{items.length === 0 ? empty : children(items)}
					{hasMore && (
						<div class="row more">
							<span>
								{items.length.toLocaleString()} {noun} loaded
							</span>
							<Button busy={isLoading} onClick={more}>
								Load more
							</Button>
						</div>
					)}
				</>
			)}
		</LoadedContent>
	);
}

/** A button that loads a value again. */
export function ReloadButton({
	of: { isLoading, reload },
}: {
	readonly of: Pick<Loaded<unknown>, 'isLoading' | 'reload'>;
}) {
	return (
		<Button icon="reload" busy={isLoading} onClick={reload}>
			Reload
		</Button>
	);
}
