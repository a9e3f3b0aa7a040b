import type { ComponentChildren } from 'preact';
import type { ApiError } from '../api.ts';
import { Button } from './button.tsx';
import { Icon, type IconName } from './icon.tsx';

/** An error of the API. Its message is announced; the id of the request, which each poll changes, is not. */
export function ErrorNote({ error, onRetry }: { readonly error: ApiError; readonly onRetry?: () => void }) {
	const { message, param, code, requestId } = error;
	const facts = [param && `parameter ${param}`, code && `code ${code}`, requestId && `request ${requestId}`];
	return (
		<div class="note bad">
			<Icon name="warning" />
			<div>
				<div role="alert">
					<p>{message}</p>
				</div>
				<p>{facts.filter(Boolean).join(' · ')}</p>
			</div>
			{onRetry && <Button onClick={onRetry}>Try again</Button>}
		</div>
	);
}

/** The placeholder of an empty list or page. */
export function Empty({
	icon,
	title,
	children,
}: {
	readonly icon: IconName;
	readonly title: string;
	readonly children?: ComponentChildren;
}) {
	return (
		<div class="empty">
			<Icon name={icon} />
			<h2>{title}</h2>
			{children && <p>{children}</p>}
		</div>
	);
}

/** A short state with a colour. The text alone is sufficient. */
export function Badge({
	tone = 'info',
	children,
}: {
	readonly tone?: 'info' | 'good' | 'warn' | 'bad' | 'accent';
	readonly children: ComponentChildren;
}) {
	return <span class={`badge ${tone}`}>{children}</span>;
}

/** A progress bar from 0 to 1. Without a value, the progress is unknown. */
export function Progress({ value, label }: { readonly value: number | undefined; readonly label: string }) {
	const percent = value === undefined ? undefined : Math.round(value * 100);
	return (
		<div class="progress">
			<progress aria-label={label} max={100} value={percent} />
			<span class="percent" aria-hidden="true">
				{percent === undefined ? '' : `${percent} %`}
			</span>
		</div>
	);
}

/** The server's warnings about a request that succeeded. */
export function Warnings({ texts = [] }: { readonly texts: readonly string[] | undefined }) {
	if (texts.length === 0) return null;
	return (
		<div class="note warn">
			<Icon name="warning" />
			<ul aria-label="Warnings">
				{texts.map((text) => (
					<li key={text}>{text}</li>
				))}
			</ul>
		</div>
	);
}
