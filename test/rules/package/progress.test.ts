/** Something moves while n8n is installed. */
import { progressLine } from '../../host/progress.ts';

test.each<[number, number, string]>([
	[0, 15_000, '  installing n8n: 0 %, 15 s so far'],
	[-5e6, 15_000, '  installing n8n: 0 %, 15 s so far'],
	[1_050e6, 90_000, '  installing n8n: 50 %, 90 s so far, about 2 min left'],
	[2.1e9, 240_000, '  installing n8n: almost done, 240 s so far'],
])('%d bytes after %d ms', (bytes, ms, line) => {
	expect(progressLine('installing n8n', bytes, ms)).toBe(line);
});
