import { version } from 'zod/package.json';
import { z } from 'zod/v3';

test('the tests of this project run with zod 4, whose zod/v3 the nodes use', () => {
	expect(version).toMatch(/^4\./);
	// Required in zod 4's own API, optional here.
	expect(z.object({ next: z.unknown() }).safeParse({}).success).toBe(true);
});
