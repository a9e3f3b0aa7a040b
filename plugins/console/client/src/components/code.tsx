import { toast } from '../state/toasts.ts';
import { Button } from './button.tsx';

/** A preformatted text. */
export function Text({ text }: { readonly text: string }) {
	return (
		// biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reachable by keyboard.
		<pre class="text" tabIndex={0}>
			{text}
		</pre>
	);
}

/** A preformatted text with a button that copies it. */
export function Code({ text, label }: { readonly text: string; readonly label: string }) {
	const copy = async () => {
		try {
			await navigator.clipboard.writeText(text);
			toast('Copied.', 'good');
		} catch {
			// Browsers allow copying only on https and on localhost.
			toast('The browser does not allow copying here. Select the text instead.', 'bad');
		}
	};
	return (
		<figure class="code" aria-label={label}>
			<Text text={text} />
			<Button look="quiet" icon="copy" iconOnly onClick={copy}>
				Copy
			</Button>
		</figure>
	);
}
