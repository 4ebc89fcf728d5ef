import { BoundedMap } from '../../../nodes/WorkspaceData/model/boundedMap';

test('forgets the entry that was used longest ago, never one in use', () => {
	const map = new BoundedMap<string, number>(2);
	map.set('a', 1);
	map.set('b', 2);
	expect(map.get('a')).toBe(1);
	map.set('c', 3);
	expect([map.get('a'), map.get('b'), map.get('c')]).toEqual([1, undefined, 3]);
	expect(map.getOrCreate('c', () => 9)).toBe(3);
	map.delete('c');
	expect(map.getOrCreate('c', () => 9)).toBe(9);
});
