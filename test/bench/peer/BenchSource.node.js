/** Gives items from memory: rows to write, records as Get Many gives them, or what it is told. */
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
			{ displayName: 'Skip', name: 'skip', type: 'number', default: 0 },
			{ displayName: 'Changed', name: 'changed', type: 'number', default: 0 },
			{ displayName: 'Items', name: 'items', type: 'json', default: '[]' },
		],
	};

	async execute() {
		const records = this.getNodeParameter('records', 0);
		const count = this.getNodeParameter('count', 0);
		const skip = this.getNodeParameter('skip', 0);
		const changed = this.getNodeParameter('changed', 0);
		const given = JSON.parse(this.getNodeParameter('items', 0));
		if (given.length > 0) return [given.map((json) => ({ json, pairedItem: { item: 0 } }))];
		// As the service's control fills a card, but for the first ones, which are changed.
		const row = (n) => ({
			Key: `Key ${n}`,
			Amount: n < skip + changed ? -1 - n : n,
			Day: new Date(Date.UTC(2020, 0, 1 + (n % 3_650))).toISOString().slice(0, 10),
			Open: n % 2 === 0,
		});
		const record = (n) => ({
			id: `rec_${String(n).padStart(24, '0')}`,
			created_at: new Date(1_900_000_000_000 + n).toISOString(),
			fields: row(n),
		});
		const items = [];
		for (let n = skip; n < skip + count; n += 1) {
			items.push({ json: records ? record(n) : row(n), pairedItem: { item: 0 } });
		}
		return [items];
	}
}

module.exports = { BenchSource };
