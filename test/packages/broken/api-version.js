import { definePlugin } from '@plinth/core';
import { z } from 'zod';

const current = definePlugin({ id: 'weather', config: z.strictObject({}), setup() {} });
const later = (options) => ({ ...current(options), apiVersion: 2 });

/** What a later release of the kernel might make. */
export const weather = Object.assign(later, current);
