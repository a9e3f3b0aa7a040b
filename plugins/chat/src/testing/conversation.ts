import type { ChatRequest, ChatTool, DocumentPart } from '../model.ts';

const page = 'Bill 7 of 3 May 2026\n\nWork on the roof: 30 EUR\nMaterial: 12 EUR\n\nThe total is 42 EUR.';

const bill: DocumentPart = {
	type: 'document',
	filename: 'bill.pdf',
	mediaType: 'application/pdf',
	text: `<file name="bill.pdf" type="application/pdf" pages="1">\n<page number="1">\n${page}\n</page>\n</file>`,
	pages: [{ page: 1, text: page }],
	hasPages: true,
	pageCount: 1,
	isTruncated: false,
};

/** A request of a user who asks about an attached bill. */
export function conversation(question: string): ChatRequest {
	return {
		messages: [
			{ role: 'system', content: [{ type: 'text', text: 'You help with bills.' }] },
			{ role: 'user', content: [bill, { type: 'text', text: question }] },
		],
		tools: [],
		toolChoice: 'auto',
		parallelToolCalls: true,
		format: { type: 'text' },
		stop: [],
	};
}

/** Two tools: one with parameters, and one without. */
export const tools: readonly ChatTool[] = [
	{
		name: 'convert_currency',
		description: 'Converts an amount of money.',
		parameters: {
			type: 'object',
			properties: { amount: { type: 'number' }, currency: { type: 'string' } },
			required: ['amount', 'currency'],
			additionalProperties: false,
		},
		isStrict: true,
	},
	{ name: 'get_time', description: 'Tells the time.', isStrict: false },
];

/** The schema of a structured answer. */
export const schema = {
	type: 'object',
	properties: {
		answer: { type: 'string' },
		isPaid: { type: 'boolean' },
		kind: { type: 'string', enum: ['bill', 'letter'] },
		items: { type: 'array', items: { type: 'string' } },
	},
	required: ['answer', 'isPaid', 'kind', 'items'],
	additionalProperties: false,
} as const;

/** Whether a value matches {@link schema}. */
export function matchesSchema(value: unknown): boolean {
	if (typeof value !== 'object' || value === null) return false;
	const { answer, isPaid, kind, items, ...rest } = value as Record<string, unknown>;
	return (
		typeof answer === 'string' &&
		typeof isPaid === 'boolean' &&
		(kind === 'bill' || kind === 'letter') &&
		Array.isArray(items) &&
		items.every((item) => typeof item === 'string') &&
		Object.keys(rest).length === 0
	);
}
