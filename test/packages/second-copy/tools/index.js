export { invalidValue, Reply } from '@plinth/core';

/** The kernel that these tools import. */
export const place = import.meta.resolve('@plinth/core');
