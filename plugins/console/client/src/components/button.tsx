import type { ComponentChildren } from 'preact';
import { Icon, type IconName } from './icon.tsx';

interface ButtonProps {
	readonly children: ComponentChildren;
	readonly onClick?: (event: MouseEvent) => void;
	/** One `primary` button for each form or dialog. */
	readonly look?: 'primary' | 'plain' | 'quiet' | 'danger';
	readonly type?: 'button' | 'submit';
	readonly icon?: IconName;
	/** Its work is running: the button keeps the focus and ignores clicks. */
	readonly busy?: boolean;
	readonly disabled?: boolean;
	/** The children are only for screen readers. It needs an `icon`. */
	readonly iconOnly?: boolean;
	/** The state of a toggle button. */
	readonly pressed?: boolean;
}

/** A button. */
export function Button(props: ButtonProps) {
	const { children, onClick, look = 'plain', type = 'button', icon, busy = false, disabled, iconOnly, pressed } = props;
	const click = (event: MouseEvent) => {
		if (busy) event.preventDefault();
		else onClick?.(event);
	};
	return (
		<button
			type={type}
			class={`button ${look} ${iconOnly ? 'icon-only' : ''}`}
			aria-busy={busy}
			aria-pressed={pressed}
			disabled={disabled}
			onClick={click}
		>
			{icon && <Icon name={icon} />}
			<span class={iconOnly ? 'unseen' : ''}>{children}</span>
		</button>
	);
}
