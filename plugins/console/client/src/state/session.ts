import { signal } from '@preact/signals';
import { storedIn } from './storage.ts';

/** The browser deletes it with the tab. */
const stored = storedIn('sessionStorage', 'plinth.key');

/** The API key; empty if the server needs none; undefined before sign-in. */
export const key = signal<string | undefined>(stored.read());

/** Why the user was signed out; undefined at the first sign-in. */
export const signOutReason = signal<string | undefined>(undefined);

/** Stores a key that the server has accepted. */
export function signIn(accepted: string): void {
	signOutReason.value = undefined;
	stored.write(accepted);
	key.value = accepted;
}

/** Deletes the key. */
export function signOut(reason?: string): void {
	stored.write(undefined);
	signOutReason.value = reason;
	key.value = undefined;
}
