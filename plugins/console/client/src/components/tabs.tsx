import type { ComponentChildren } from 'preact';
import { useEffect, useId, useRef } from 'preact/hooks';

/** One tab. */
export interface Tab {
	readonly id: string;
	readonly title: string;
}

interface TabsProps {
	readonly label: string;
	readonly tabs: readonly Tab[];
	/** The id of the chosen tab. */
	readonly chosen: string;
	readonly onChoose: (id: string) => void;
	/** The panel of the chosen tab. */
	readonly children: ComponentChildren;
}

const steps: Readonly<Record<string, number>> = { ArrowLeft: -1, ArrowRight: 1 };

/** Tabs and the panel of the chosen one. Arrow keys choose the previous or next tab. */
export function Tabs({ label, tabs, chosen, onChoose, children }: TabsProps) {
	const id = useId();
	const list = useRef<HTMLDivElement>(null);
	useEffect(() => {
		const tab = list.current?.querySelector<HTMLElement>('[aria-selected="true"]');
		if (!list.current || !tab) return;
		// `scrollIntoView` would also scroll the page vertically.
		const { offsetLeft, clientWidth } = list.current;
		list.current.scrollLeft = tab.offsetLeft - offsetLeft - (clientWidth - tab.offsetWidth) / 2;
	}, [chosen]);
	const move = ({ key }: KeyboardEvent) => {
		const step = steps[key];
		const at = tabs.findIndex((tab) => tab.id === chosen);
		const next = step && tabs[(at + step + tabs.length) % tabs.length];
		if (!next) return;
		onChoose(next.id);
		list.current?.querySelectorAll<HTMLElement>('[role="tab"]')[tabs.indexOf(next)]?.focus();
	};
	return (
		<div class="tabs">
			<div ref={list} class="tab-list" role="tablist" aria-label={label}>
				{tabs.map((tab) => (
					<button
						key={tab.id}
						type="button"
						role="tab"
						id={`${id}-${tab.id}`}
						aria-selected={tab.id === chosen}
						aria-controls={`${id}-panel`}
						tabIndex={tab.id === chosen ? 0 : -1}
						onClick={() => onChoose(tab.id)}
						onKeyDown={move}
					>
						{tab.title}
					</button>
				))}
			</div>
			<div id={`${id}-panel`} role="tabpanel" aria-labelledby={`${id}-${chosen}`}>
				{children}
			</div>
		</div>
	);
}
