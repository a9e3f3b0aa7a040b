import { useSignal } from '@preact/signals';
import { type ApiError, isAbort, toApiError } from './error.ts';

/** Runs the work of a button or form. `isBusy`: it is running. `error`: its last failure. */
export function useAttempt() {
	const isBusy = useSignal(false);
	const error = useSignal<ApiError | undefined>(undefined);
	const attempt = async (work: () => Promise<void>): Promise<void> => {
		if (isBusy.value) return;
		isBusy.value = true;
		error.value = undefined;
		try {
			await work();
		} catch (failure) {
			if (!isAbort(failure)) error.value = toApiError(failure);
		} finally {
			isBusy.value = false;
		}
	};
	return { isBusy, error, attempt };
}
