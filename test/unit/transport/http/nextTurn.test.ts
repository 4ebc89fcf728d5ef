import { nextTurn } from '../../../../nodes/WorkspaceData/transport/http/nextTurn';

test('each turn is one of the event loop, also right after another', async () => {
	let immediates = 0;
	let next: NodeJS.Immediate;
	const count = () => {
		immediates += 1;
		next = setImmediate(count);
	};
	next = setImmediate(count);
	for (let turn = 0; turn < 10; turn += 1) await nextTurn();
	clearImmediate(next);
	// The first message may come before the first of them.
	expect(immediates).toBeGreaterThanOrEqual(9);
});
