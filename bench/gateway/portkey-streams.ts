// Portkey 1.15.2 answers 500 (`TypeError: immutable`) to everything that is not JSON, because it sets headers on a
// response of `fetch` (Portkey-AI/gateway#1389, #1550). This module passes it a mutable copy. Portkey copies JSON
// responses itself.
const fetchAnswer = globalThis.fetch;

globalThis.fetch = async (...request) => {
	const answer = await fetchAnswer(...request);
	if (answer.headers.get('content-type')?.includes('json')) return answer;
	const { status, statusText, headers } = answer;
	return new Response(answer.body, { status, statusText, headers: new Headers(headers) });
};
