import fc from 'fast-check';
import { BoundedMap } from '../../../nodes/WorkspaceData/values/boundedMap';

test('any use: as a list of the keys in the order of their last use says', () => {
	const key = fc.constantFrom('a', 'b', 'c', 'd', 'e');
	const use = fc.tuple(fc.constantFrom('get', 'set', 'getOrCreate', 'delete'), key, fc.nat(9));
	fc.assert(
		fc.property(fc.integer({ min: 1, max: 4 }), fc.array(use), (capacity, uses) => {
			const map = new BoundedMap<string, number>(capacity);
			let known: Array<[string, number]> = [];
			for (const [how, name, value] of uses) {
				const old = known.find(([one]) => one === name)?.[1];
				const rest = known.filter(([one]) => one !== name);
				if (how === 'get') expect(map.get(name)).toBe(old);
				if (how === 'set') map.set(name, value);
				if (how === 'delete') map.delete(name);
				if (how === 'getOrCreate') expect(map.getOrCreate(name, () => value)).toBe(old ?? value);
				const now = { get: old, set: value, delete: undefined, getOrCreate: old ?? value }[how];
				known = now === undefined ? rest : [...rest, [name, now] as [string, number]];
				known = known.slice(-capacity);
			}
			expect(known.map(([name]) => map.get(name))).toEqual(known.map(([, value]) => value));
		}),
	);
});
