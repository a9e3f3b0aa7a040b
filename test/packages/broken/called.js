import { definePlugin } from '@plinth/core';
import { z } from 'zod';

export const weather = definePlugin({ id: 'weather', config: z.strictObject({}), setup() {} })();
