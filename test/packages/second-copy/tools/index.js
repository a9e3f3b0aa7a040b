export { invalidValue, Reply } from '@plinth/core';

/** The kernel that these tools are of. */
export const place = import.meta.resolve('@plinth/core');
