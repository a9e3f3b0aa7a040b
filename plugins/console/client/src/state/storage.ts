/** A text in a storage of the browser. If the browser allows no storage, nothing is stored. */
export interface Stored {
	read(): string | undefined;
	/** Stores a text; deletes it when `text` is undefined. */
	write(text: string | undefined): void;
}

/** The text with a name. In some browsers every access to the storage throws. */
export function storedIn(storage: 'localStorage' | 'sessionStorage', name: string): Stored {
	return {
		read() {
			try {
				return window[storage].getItem(name) ?? undefined;
			} catch {
				return undefined;
			}
		},
		write(text) {
			try {
				if (text === undefined) window[storage].removeItem(name);
				else window[storage].setItem(name, text);
			} catch {
				// Nothing is stored, as documented above.
			}
		},
	};
}
