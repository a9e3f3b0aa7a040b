export { webhookErrors } from './errors.ts';
export { webhooks } from './plugin.ts';
