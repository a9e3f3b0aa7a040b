import type { ComponentChildren } from 'preact';

/** Names with their values. Values that are undefined are left out. */
export function Facts({ facts }: { readonly facts: Readonly<Record<string, ComponentChildren>> }) {
	return (
		<dl class="facts">
			{Object.entries(facts).map(
				([name, value]) =>
					value !== undefined && (
						<div key={name}>
							<dt>{name}</dt>
							<dd>{value}</dd>
						</div>
					),
			)}
		</dl>
	);
}
