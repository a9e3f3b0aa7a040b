import { useEffect, useRef } from 'preact/hooks';
import { Button, boundTo, Code, Empty, ErrorNote, FileField, TextField, Warnings } from '../../../components.ts';
import { draft, type Exchange, exchanges, forget } from './conversation.ts';

/** The fields for the next question: its text and files. */
export function Compose() {
	const sendOnEnter = (event: KeyboardEvent) => {
		if (event.key !== 'Enter' || event.shiftKey || event.isComposing || !(event.target instanceof HTMLTextAreaElement))
			return;
		event.preventDefault();
		event.target.form?.requestSubmit();
	};
	return (
		// biome-ignore lint/a11y/noStaticElementInteractions: a shortcut; the button does the same.
		<div class="form" onKeyDown={sendOnEnter}>
			<TextField
				label="Message"
				param="messages"
				rows={3}
				{...boundTo(draft, 'text')}
				hint="Enter sends it, Shift and Enter begin a new line."
			/>
			<FileField
				label="Files"
				multiple
				{...boundTo(draft, 'files')}
				hint="The server reads documents for every model."
			/>
		</div>
	);
}

/** The conversation, oldest first. */
export function Conversation({ onRetry }: { readonly onRetry: (exchange: Exchange) => void }) {
	const all = exchanges.value;
	if (all.length === 0) {
		return (
			<Empty icon="playground" title="No messages yet">
				The answer appears here while it is made.
			</Empty>
		);
	}
	return (
		<div class="playground-chat stack">
			<div class="row">
				<Button icon="plus" onClick={() => forget()}>
					New conversation
				</Button>
			</div>
			<ol class="stack">
				{all.map((exchange) => (
					<ExchangeItem key={exchange.run.id} exchange={exchange} onRetry={() => onRetry(exchange)} />
				))}
			</ol>
		</div>
	);
}

function ExchangeItem({ exchange, onRetry }: { readonly exchange: Exchange; readonly onRetry: () => void }) {
	const { text, files, run } = exchange;
	const item = useRef<HTMLLIElement>(null);
	useEffect(() => item.current?.scrollIntoView({ block: 'nearest' }), []);
	const state = run.state.value;
	const { text: answer = '', calls = [] } = run.result.value ?? {};
	const error = run.error.value;
	return (
		<li ref={item} class="stack">
			<div class="playground-said user stack">
				<p>{text}</p>
				{files.length > 0 && <p class="hint">{files.map(({ name }) => name).join(', ')}</p>}
			</div>
			<div class="playground-said stack" aria-busy={state === 'running'} aria-live="polite">
				<p>{answer || (state === 'running' ? '…' : '')}</p>
				{calls.map((call) => (
					<Code key={call} label="Call of a tool" text={call} />
				))}
				{error && <ErrorNote error={error} onRetry={onRetry} />}
				{state === 'stopped' && (
					<p>
						Stopped. <Button onClick={onRetry}>Try again</Button>
					</p>
				)}
				{state === 'done' && <p class="hint">{run.facts.value.join(' · ')}</p>}
				<Warnings texts={run.warnings.value} />
			</div>
		</li>
	);
}
