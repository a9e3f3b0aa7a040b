import type { ComponentChildren } from 'preact';
import { useEffect, useId, useRef } from 'preact/hooks';
import { useAttempt } from '../api.ts';
import { Button } from './button.tsx';
import { Form } from './form.tsx';

interface DialogProps {
	readonly title: string;
	/** Called when the user presses Escape. */
	readonly onCancel?: (event: Event) => void;
	readonly onClose: () => void;
	readonly children: ComponentChildren;
}

/** A modal dialog. The focus stays inside, and returns to its previous element afterwards. */
export function Dialog({ title, children, ...events }: DialogProps) {
	const dialog = useRef<HTMLDialogElement>(null);
	const id = useId();
	useEffect(() => {
		const opener = document.activeElement;
		dialog.current?.showModal();
		return () => {
			if (opener instanceof HTMLElement) opener.focus();
		};
	}, []);
	return (
		<dialog ref={dialog} class="dialog" aria-labelledby={id} {...events}>
			<header class="split">
				<h2 id={id}>{title}</h2>
				<Button look="quiet" icon="close" iconOnly onClick={() => dialog.current?.close()}>
					Close
				</Button>
			</header>
			<div class="dialog-body stack">{children}</div>
		</dialog>
	);
}

/** A dialog with a form and one action. It closes after the action, and shows an error if the action fails. */
export function ActionDialog({
	title,
	action,
	isDanger = false,
	run,
	onClose,
	children,
}: DialogProps & {
	/** The verb on its button: `Delete`. */
	readonly action: string;
	/** The action cannot be undone. */
	readonly isDanger?: boolean;
	readonly run: () => Promise<void>;
}) {
	const { isBusy, error, attempt } = useAttempt();
	const submit = () =>
		attempt(async () => {
			await run();
			onClose();
		});
	return (
		// If Escape closed the dialog during the action, its error would be lost.
		<Dialog title={title} onClose={onClose} onCancel={(event) => isBusy.value && event.preventDefault()}>
			<Form onSubmit={submit} error={error.value} label={title}>
				{children}
				<div class="row">
					<Button type="submit" look={isDanger ? 'danger' : 'primary'} busy={isBusy.value}>
						{action}
					</Button>
					<Button onClick={onClose}>{isDanger ? 'Keep' : 'Cancel'}</Button>
				</div>
			</Form>
		</Dialog>
	);
}
