/** Gives items from memory: rows to write, or records as Sync gives them. */
class BenchSource {
	description = {
		displayName: 'Bench Source',
		name: 'benchSource',
		group: ['transform'],
		version: 1,
		description: 'Items from memory',
		defaults: { name: 'Bench Source' },
		inputs: ['main'],
		outputs: ['main'],
		properties: [
			{ displayName: 'Count', name: 'count', type: 'number', default: 1 },
			{ displayName: 'Records', name: 'records', type: 'boolean', default: false },
			{ displayName: 'Changed', name: 'changed', type: 'number', default: 0 },
		],
	};

	async execute() {
		const records = this.getNodeParameter('records', 0);
		const count = this.getNodeParameter('count', 0);
		const changed = this.getNodeParameter('changed', 0);
		// As the service's control fills a card, but for the first ones, which are changed.
		const row = (n) => ({
			Key: `Key ${n}`,
			Amount: n < changed ? -1 - n : n,
			Day: new Date(Date.UTC(2020, 0, 1 + (n % 3_650))).toISOString().slice(0, 10),
			Open: n % 2 === 0,
		});
		const record = (n) => ({
			...row(n),
			id: `rec_${String(n).padStart(24, '0')}`,
			created_at: new Date(1_900_000_000_000 + n).toISOString(),
			action: 'unchanged',
		});
		const items = [];
		for (let n = 0; n < count; n += 1) {
			items.push({ json: records ? record(n) : row(n), pairedItem: { item: 0 } });
		}
		return [items];
	}
}

module.exports = { BenchSource };
