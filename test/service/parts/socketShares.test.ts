/** Who gets the sockets of deliveries, and in which order. */
import { createSocketShares } from '../../../service/delivery/socketShares.ts';

/** Shares, and who has a socket by now. */
function shares(sockets: number, socketsPerWorkspace: number, socketsPerTarget: number) {
	const { acquire } = createSocketShares({ sockets, socketsPerWorkspace, socketsPerTarget });
	const holding: string[] = [];
	const releases = new Map<string, () => void>();
	return {
		holding,
		async ask(workspace: string, target: string, name: string) {
			void acquire(workspace, target).then((release) => {
				holding.push(name);
				releases.set(name, release);
			});
			await settle();
		},
		async release(name: string) {
			holding.splice(holding.indexOf(name), 1);
			releases.get(name)?.();
			await settle();
		},
	};
}
const settle = async () => await new Promise((resolve) => setImmediate(resolve));

test('a workspace has at most its share, and goes on when it gives a socket back', async () => {
	const { ask, release, holding } = shares(100, 2, 100);
	for (const name of ['1', '2', '3']) await ask('w', `target ${name}`, name);
	expect(holding).toEqual(['1', '2']);
	await release('1');
	expect(holding).toEqual(['2', '3']);
});

test('a target of a workspace has at most its share; another target need not wait for it', async () => {
	const { ask, release, holding } = shares(100, 100, 1);
	await ask('w', 'slow', 'first');
	await ask('w', 'slow', 'second');
	await ask('w', 'quick', 'other target');
	await ask('v', 'slow', 'other workspace');
	expect(holding).toEqual(['first', 'other target', 'other workspace']);
	await release('other target');
	expect(holding).toEqual(['first', 'other workspace']);
	await release('first');
	expect(holding).toEqual(['other workspace', 'second']);
});

test('what waits for a target keeps its order, though a socket has become free', async () => {
	const { ask, release, holding } = shares(100, 2, 100);
	await ask('w', 'a', '1');
	await ask('w', 'b', '2');
	await ask('w', 'a', '3');
	await ask('w', 'a', '4');
	await release('2');
	await ask('w', 'a', '5');
	expect(holding).toEqual(['1', '3']);
	await release('1');
	await release('3');
	expect(holding).toEqual(['4', '5']);
});

test('the last sockets stay for a newcomer', async () => {
	const { ask, holding } = shares(4, 100, 100);
	for (const name of ['1', '2', '3']) await ask('greedy', 'target', name);
	expect(holding).toEqual(['1', '2']);
	await ask('newcomer', 'target', 'newcomer');
	expect(holding).toEqual(['1', '2', 'newcomer']);
});

test('workspaces that wait are served in turn', async () => {
	const { ask, release, holding } = shares(2, 1, 1);
	await ask('a', 'x', 'a1');
	await ask('a', 'x', 'a2');
	await ask('b', 'x', 'b1');
	await ask('a', 'x', 'a3');
	await ask('b', 'x', 'b2');
	expect(holding).toEqual(['a1', 'b1']);
	await release('a1');
	expect(holding).toEqual(['b1', 'a2']);
	await release('b1');
	expect(holding).toEqual(['a2', 'b2']);
	await release('a2');
	await release('b2');
	expect(holding).toEqual(['a3']);
});
