// Portkey 1.15.2 answers 500 to everything that is not JSON, `TypeError: immutable`: it sets headers of an answer that `fetch` has made
// (Portkey-AI/gateway#1389, #1550). Here it gets a copy that it may change; JSON it copies itself.
const fetchAnswer = globalThis.fetch;

globalThis.fetch = async (...request) => {
	const answer = await fetchAnswer(...request);
	if (answer.headers.get('content-type')?.includes('json')) return answer;
	const { status, statusText, headers } = answer;
	return new Response(answer.body, { status, statusText, headers: new Headers(headers) });
};
