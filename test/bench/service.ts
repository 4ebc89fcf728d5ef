/**
 * How fast the reference service is over loopback: `npm run bench:service`. Only a part: `-- --bare`, `-- --pages`.
 * Prints figures and what they are measured against; exits 1 if a target is missed.
 */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { connectControl } from '../../service/index.ts';
import { stopOnSignals } from '../host/cleanup.ts';
import { startService } from '../host/serviceProcess.ts';
import { measureBesideBare, type Row } from './besideBare.ts';
import { undiciClient } from './clients.ts';
import { median } from './row.ts';

/** A page of 100 in a card of so many records takes at most so many times as long as in a small card. */
const [small, large, factor] = [1_000, 100_000, 1.2];
const measured = 300;

stopOnSignals(() => 130);
const asked = process.argv.filter((argument) => argument.startsWith('--'));
const isWanted = (part: string) => asked.length === 0 || asked.includes(`--${part}`);

/** The last page of 100 of a small and of a large card, in turns. */
async function measurePages(folder: string): Promise<Row[]> {
	const service = await startService({ control: true, file: join(folder, 'pages.sqlite') });
	const control = connectControl(service.controlUrl ?? '', service.controlToken ?? '');
	const client = undiciClient(service, 1);
	try {
		const paths = [];
		for (const count of [small, large]) {
			const types = ['text', 'number', 'date', 'boolean', 'email'];
			const { id } = await client.createCard(
				`Card of ${count}`,
				types.map((type) => ({ name: type, type })),
			);
			await control.fillCard({ cardId: id, count });
			const last = (await client.list(id, 100)).at(-101) as { id: string };
			const cursor = Buffer.from(`${id}\n${last.id}`).toString('base64url');
			paths.push(`/cards/${id}/records?limit=100&cursor=${cursor}`);
		}
		const times: number[][] = paths.map(() => []);
		for (let n = 0; n < measured; n++) {
			for (const [index, path] of paths.entries()) {
				const started = performance.now();
				await client.send('GET', path);
				times[index]?.push(performance.now() - started);
			}
		}
		const [ofSmall = NaN, ofLarge = NaN] = times.map(median);
		const ratio = ofLarge / ofSmall;
		return [
			[
				`the last page of 100 in a card of ${large}, ms (of ${small}: ${ofSmall.toFixed(2)})`,
				ofLarge.toFixed(2),
				`≤ ${factor} ×, is ${ratio.toFixed(2)} ×`,
				ratio <= factor,
			],
		];
	} finally {
		await client.close();
		await service.stop();
	}
}

const folder = await mkdtemp(join(tmpdir(), 'workspace-data-bench-'));
const rows: Row[] = [];
try {
	if (isWanted('bare')) rows.push(...(await measureBesideBare(folder)));
	if (isWanted('pages')) rows.push(...(await measurePages(folder)));
} finally {
	await rm(folder, { recursive: true });
}
for (const [what, value, target, isMet] of rows) {
	process.stdout.write(`${isMet ? 'met   ' : 'MISSED'}  ${what}: ${value} (${target})\n`);
}
process.exitCode = rows.every(([, , , isMet]) => isMet) ? 0 : 1;
