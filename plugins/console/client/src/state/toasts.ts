import { signal } from '@preact/signals';

/** A short message that disappears by itself. */
export interface Toast {
	readonly id: number;
	readonly text: string;
	readonly tone: 'info' | 'good' | 'bad';
}

const shownMs = 6_000;
let lastId = 0;

/** The messages on the screen, oldest first. */
export const toasts = signal<readonly Toast[]>([]);

/** Shows a message for six seconds. Screen readers announce it. */
export function toast(text: string, tone: Toast['tone'] = 'info'): void {
	lastId += 1;
	const id = lastId;
	toasts.value = [...toasts.value.slice(-3), { id, text, tone }];
	setTimeout(() => dismiss(id), shownMs);
}

/** Removes a message. */
export function dismiss(id: number): void {
	toasts.value = toasts.value.filter((each) => each.id !== id);
}
