import type { ComponentChildren } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import { toApiError } from '../../../api.ts';
import { Button, ErrorNote, Warnings } from '../../../components.ts';
import { toast } from '../../../state/toasts.ts';
import { textOf } from '../call/call.ts';
import type { Run } from '../desk/run.ts';

/** Ends the work on the server, for work that a disconnect does not end. May reject. */
export interface Cancel {
	/** The text of its button. */
	readonly word: string;
	stop(run: Run<unknown>): Promise<void>;
}

interface RunCardProps {
	readonly run: Run<unknown>;
	/** The text while it runs: `Making the video…`. */
	readonly doing: string;
	readonly onRetry: () => void;
	readonly onRemove: () => void;
	readonly cancel?: Cancel | undefined;
	/** Whether the form shows the error already. */
	readonly isRefused: boolean;
	readonly children: ComponentChildren;
}

/** The frame of every run: the request, state, warnings and errors. */
export function RunCard(props: RunCardProps) {
	const { run, doing, onRetry, onRemove, cancel, isRefused, children } = props;
	const card = useRef<HTMLElement>(null);
	// On a phone, a new run is below the form.
	useEffect(() => {
		if (run.state.peek() === 'running') card.current?.scrollIntoView({ block: 'nearest' });
	}, [run]);
	const stop = async () => {
		try {
			await (cancel ? cancel.stop(run) : run.stop());
		} catch (error) {
			toast(`The job may continue: ${toApiError(error).message}`, 'bad');
		}
	};
	const state = run.state.value;
	const error = run.error.value;
	const title = titleOf(run);
	return (
		<article ref={card} class="card playground-run stack" aria-label={title} aria-busy={state === 'running'}>
			<header class="split">
				<h3>{title}</h3>
				{state === 'running' ? (
					<Button icon="stop" onClick={stop}>
						{cancel?.word ?? 'Stop'}
					</Button>
				) : (
					<Button look="quiet" icon="close" iconOnly onClick={onRemove}>
						Remove this result
					</Button>
				)}
			</header>
			<p class="hint" role="status">
				{state === 'running' ? doing : wordOf(state, run.facts.value)}
			</p>
			{error && !isRefused && <ErrorNote error={error} onRetry={onRetry} />}
			{error && isRefused && <p>The server refused it: the form shows the reason.</p>}
			{state === 'stopped' && (
				<p>
					<Button icon="reload" onClick={onRetry}>
						Try again
					</Button>
				</p>
			)}
			{children}
			<Warnings texts={run.warnings.value} />
		</article>
	);
}

function titleOf({ call: { fields, files } }: Run<unknown>): string {
	const text = fields.prompt ?? fields.input ?? files.map(({ file }) => file.name).join(', ');
	const shown = textOf(text);
	return shown.length > 120 ? `${shown.slice(0, 119)}…` : shown || 'Without a prompt';
}

function wordOf(state: string, facts: readonly string[]): string {
	const words: Readonly<Record<string, string>> = { done: 'Done', failed: 'Failed', stopped: 'Stopped' };
	return [words[state] ?? state, ...facts].join(' · ');
}
