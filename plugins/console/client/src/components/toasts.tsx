import { dismiss, toasts } from '../state/toasts.ts';
import { Button } from './button.tsx';

/** The short messages at the edge of the page. */
export function Toasts() {
	return (
		<div class="toasts" role="status" aria-live="polite">
			{toasts.value.map(({ id, text, tone }) => (
				<div key={id} class={`toast split ${tone}`}>
					<p>{text}</p>
					<Button look="quiet" icon="close" iconOnly onClick={() => dismiss(id)}>
						Dismiss
					</Button>
				</div>
			))}
		</div>
	);
}
