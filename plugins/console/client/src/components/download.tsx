import type { ComponentChildren } from 'preact';
import { Icon } from './icon.tsx';

/** A link that saves a blob as a file. The address comes from `URL.createObjectURL`. */
export function Download({
	address,
	name,
	children = 'Download',
}: {
	readonly address: string;
	readonly name: string;
	readonly children?: ComponentChildren;
}) {
	return (
		<a class="button" href={address} download={name}>
			<Icon name="download" />
			<span>{children}</span>
		</a>
	);
}
