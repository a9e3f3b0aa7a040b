import { expect, test } from 'vitest';
import { withoutDefault } from '../../scripts/reference/default-sentence.ts';

test.each([
	['The port. 0 chooses a free one. The default is 8080.', '`8080`', 'The port. 0 chooses a free one.'],
	['Whether it is on. The default is `on`.', '`"on"`', 'Whether it is on.'],
	['Maximum streams. The default is 1,000. More get 429.', '`1000`', 'Maximum streams. More get 429.'],
	['How long. The default is 30 seconds.', '`30`', 'How long.'],
	['Origins. The default is none.', '`[]`', 'Origins.'],
	['Wrong keys. The default is 20; 0 sets no limit.', '`20`', 'Wrong keys. 0 sets no limit.'],
])('the sentence of a default that the column has is left out: %s', (meaning, cell, shown) => {
	expect(withoutDefault(meaning, cell)).toBe(shown);
});

test.each([
	['Maximum bytes. The default is 1 GiB.', '`1073741824`'],
	['The base URL. The default is that of the request.', '–'],
	['The default, `auto`, is `pretty` on a terminal.', '`"auto"`'],
])('a sentence that says more than the column stays: %s', (meaning, cell) => {
	expect(withoutDefault(meaning, cell)).toBe(meaning);
});
