import type { ComponentChildren } from 'preact';
import { useLayoutEffect, useState } from 'preact/hooks';

/** A section that opens and closes by a click. Its content is rendered only while it is open. */
export function Fold({
	summary,
	class: name = 'fold',
	id,
	opens = false,
	children,
}: {
	readonly summary: ComponentChildren;
	readonly class?: string;
	readonly id?: string;
	/** Opens the section when it becomes true. */
	readonly opens?: boolean;
	readonly children: ComponentChildren;
}) {
	const [isOpen, setOpen] = useState(opens);
	// A layout effect runs before the effect of a form that focuses the wrong field.
	useLayoutEffect(() => {
		if (opens) setOpen(true);
	}, [opens]);
	return (
		<details class={name} id={id} open={isOpen} onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
			<summary>{summary}</summary>
			{isOpen && children}
		</details>
	);
}
