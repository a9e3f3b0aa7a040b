import type { ComponentChildren } from 'preact';
import { useEffect, useRef } from 'preact/hooks';

interface ViewProps {
	readonly title: string;
	/** One sentence under the title. */
	readonly lead?: ComponentChildren;
	/** Buttons beside the title. */
	readonly actions?: ComponentChildren;
	/** The view sets its scroll position itself. */
	readonly keepsScroll?: boolean;
	readonly children: ComponentChildren;
}

/** The first view does not take the focus, so that screen readers start at the top of the page. */
let isFirst = true;

/** The frame of every view. Its title gets the focus when the user comes from another view. */
export function View({ title, lead, actions, keepsScroll = false, children }: ViewProps) {
	const heading = useRef<HTMLHeadingElement>(null);
	useEffect(() => {
		document.title = `${title} · Plinth`;
		if (!isFirst) heading.current?.focus({ preventScroll: keepsScroll });
		isFirst = false;
	}, [title, keepsScroll]);
	return (
		<div class="view stack">
			<header class="view-head split">
				<div>
					<h1 ref={heading} tabIndex={-1}>
						{title}
					</h1>
					{lead && <p class="lead">{lead}</p>}
				</div>
				{actions && <div class="row">{actions}</div>}
			</header>
			{children}
		</div>
	);
}
