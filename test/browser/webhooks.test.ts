import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { startWebhookReceiver, type WebhookReceiver } from '../support/webhook-receiver.ts';
import { axeFindings, overflows, takePictures } from './support/browser.ts';
import { consoleFixture } from './support/fixture.ts';

/** The label of the field that has the focus. */
const focusedLabel = `document.activeElement.labels?.[0]?.textContent ?? ''`;

let receiver: WebhookReceiver;

beforeAll(async () => {
	receiver = await startWebhookReceiver();
});

afterAll(() => receiver?.close());

const site = consoleFixture(() => ({
	config: 'scripted.config.ts',
	env: { PLINTH_WEBHOOK_ALLOW_PRIVATE: 'true', PLINTH_WEBHOOK_RETRY_SECONDS: '0.3,0.3' },
}));

test('an endpoint is made, its secret is shown once, and it is tested', async () => {
	const visited = await site.open('webhooks');
	const { page, foreign, problems } = visited;
	await page.getByRole('heading', { name: 'No endpoints yet' }).waitFor();
	await page.getByRole('button', { name: 'New endpoint' }).click();
	const dialog = page.getByRole('dialog');
	await dialog.getByLabel('Name').fill('Renders');
	await dialog.getByLabel('Address').fill('no address');
	await dialog.getByLabel('video.completed').check();
	await dialog.getByRole('button', { name: 'Create' }).click();
	await page.locator('input[aria-invalid="true"]').waitFor();
	await expect.poll(() => page.evaluate(focusedLabel)).toMatch(/^Address/);
	await takePictures(page, 'webhooks-form');
	expect([await axeFindings(page), await overflows(page)]).toEqual([[], []]);
	await dialog.getByLabel('Address').fill(`${receiver.url}/renders`);
	await dialog.getByRole('button', { name: 'Create' }).click();

	await dialog.getByRole('heading', { name: 'Keep this secret' }).waitFor();
	const secret = await dialog.locator('pre').innerText();
	expect(secret).toMatch(/^whsec_/);
	receiver.secrets.set('/renders', secret);
	await visited.context.grantPermissions(['clipboard-read', 'clipboard-write']);
	await dialog.getByRole('button', { name: 'Copy' }).click();
	await page.getByText('Copied.').waitFor();
	expect(await page.evaluate('navigator.clipboard.readText()')).toBe(secret);
	await takePictures(page, 'webhooks-secret');
	expect(await axeFindings(page)).toEqual([]);
	await dialog.getByRole('button', { name: 'I have kept it' }).click();
	const card = page.locator('.webhooks-card', { has: page.getByRole('heading', { name: 'Renders', exact: true }) });
	await card.getByText(`whsec_…${secret.slice(-4)}`).waitFor();
	expect(await page.content()).not.toContain(secret);

	await card.getByRole('button', { name: 'Send a test' }).click();
	await dialog.getByRole('button', { name: 'Send', exact: true }).click();
	await page.getByText('The receiver answered 200.').waitFor();
	expect(receiver.arrivals.at(-1)?.event.type).toBe('video.completed');
	expect(receiver.faults).toEqual([]);
	expect({ foreign, problems: problems.filter((text) => !text.includes('400')) }).toEqual({
		foreign: [],
		problems: [],
	});
});

test('an endpoint is edited, given a new secret and deleted', async () => {
	const { page, foreign, problems } = await site.open('webhooks');
	const card = page.locator('.webhooks-card', { has: page.getByRole('heading', { name: 'Renders', exact: true }) });
	const dialog = page.getByRole('dialog');
	await card.getByRole('button', { name: 'Edit' }).click();
	await dialog.getByLabel('video.completed').uncheck();
	await dialog.getByRole('button', { name: 'Save' }).click();
	await dialog.locator('.error-text').waitFor();
	await dialog.getByLabel('video.failed').check();
	await dialog.getByLabel('Name').fill('Failures');
	await dialog.getByRole('button', { name: 'Save' }).click();
	const renamed = page.locator('.webhooks-card', { has: page.getByRole('heading', { name: 'Failures' }) });
	await renamed.getByText('video.failed').waitFor();
	await renamed.getByRole('button', { name: 'New secret' }).click();
	await dialog.getByRole('button', { name: 'Make it' }).click();
	await dialog.getByText(/^whsec_/).waitFor();
	expect(await dialog.locator('pre').innerText()).not.toBe(receiver.secrets.get('/renders'));
	await dialog.getByRole('button', { name: 'I have kept it' }).click();
	await takePictures(page, 'webhooks-endpoints');
	expect([await axeFindings(page), await overflows(page)]).toEqual([[], []]);

	await renamed.getByRole('button', { name: 'Delete' }).click();
	await dialog.getByRole('button', { name: 'Delete' }).click();
	await renamed.waitFor({ state: 'detached' });
	expect((await site.api.get<{ data: unknown[] }>('/v1/webhook_endpoints')).data).toEqual([]);
	expect({ foreign, problems: problems.filter((text) => !text.includes('400')) }).toEqual({
		foreign: [],
		problems: [],
	});
});

test('a delivery is shown with its attempts, and is sent again', async () => {
	receiver.behaviour = () => 'fail';
	const { id } = await site.api.post<{ id: string }>('/v1/webhook_endpoints', {
		name: 'Ends',
		url: `${receiver.url}/ends`,
		event_types: ['video.completed', 'video.failed'],
	});
	const job = await site.api.job('a film with an end');
	const { page } = await site.open('webhooks');
	await page.getByRole('tab', { name: 'Deliveries' }).click();
	await page.getByText('Failed', { exact: true }).first().waitFor();
	await takePictures(page, 'webhooks-deliveries');
	expect([await axeFindings(page), await overflows(page)]).toEqual([[], []]);
	await page.getByRole('link', { name: 'video.completed' }).click();
	const attempts = page.getByRole('table', { name: 'Attempts, the latest first' }).locator('tbody tr');
	await attempts.nth(2).waitFor();
	expect(await attempts.getByText('500', { exact: true }).count()).toBe(3);
	await takePictures(page, 'webhooks-delivery');
	expect([await axeFindings(page), await overflows(page)]).toEqual([[], []]);
	receiver.acceptAll();
	await page.getByRole('button', { name: 'Resend' }).click();
	await page.getByText('Delivered', { exact: true }).waitFor();
	expect(await attempts.first().innerText()).toContain('200');
	expect(receiver.arrivals.at(-1)?.event.data.id).toBe(job);
	await page.getByRole('link', { name: job }).click();
	await page.getByRole('heading', { name: 'a film with an end' }).waitFor();

	// The list of one endpoint, and the list of another one without deliveries.
	await page.evaluate(`location.hash = '#/webhooks/deliveries?endpoint=${id}'`);
	await page.getByRole('link', { name: 'video.completed' }).waitFor();
	await page.evaluate(`location.hash = '#/webhooks/deliveries?endpoint=whe_${'0'.repeat(44)}'`);
	await page.getByRole('heading', { name: 'No deliveries yet' }).waitFor();
	await site.api.remove(`/v1/webhook_endpoints/${id}`);
});

test('an endpoint that its receiver has given up is shown as disabled, and is enabled', async () => {
	const gone = createServer((_request, response) => response.writeHead(410).end());
	gone.listen(0, '127.0.0.1');
	await once(gone, 'listening');
	onTestFinished(() => new Promise((resolve) => gone.close(() => resolve())));
	const url = `http://127.0.0.1:${(gone.address() as AddressInfo).port}/`;
	const { id } = await site.api.post<{ id: string }>('/v1/webhook_endpoints', {
		name: 'Given up',
		url,
		event_types: ['video.completed'],
	});
	await site.api.job('the last film');
	const status = async () => (await site.api.get<{ status: string }>(`/v1/webhook_endpoints/${id}`)).status;
	await expect.poll(status).toBe('disabled');
	const { page } = await site.open('webhooks');
	const card = page.locator('.webhooks-card', { has: page.getByRole('heading', { name: 'Given up' }) });
	await card.getByText('The receiver answered 410.').waitFor();
	await takePictures(page, 'webhooks-disabled');
	await card.getByRole('button', { name: 'Enable' }).click();
	await page.getByRole('dialog').getByRole('button', { name: 'Enable' }).click();
	await card.getByText('Enabled').waitFor();
	expect(await status()).toBe('enabled');
	// The result of a test delivery is shown, whatever it is.
	await card.getByRole('button', { name: 'Send a test' }).click();
	await page.getByRole('dialog').getByRole('button', { name: 'Send', exact: true }).click();
	await page.getByText('The receiver answered 410.').waitFor();
});
