/** Gives items from memory: rows to write, or records as Get Many gives them. */
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
		],
	};

	async execute() {
		const records = this.getNodeParameter('records', 0);
		const count = this.getNodeParameter('count', 0);
		const row = (n) => ({ Key: `Key ${n}`, Amount: n, Day: '2028-02-29', Open: n % 2 === 0 });
		const record = (n) => ({
			id: `rec_${String(n).padStart(24, '0')}`,
			created_at: new Date(1_900_000_000_000 + n).toISOString(),
			fields: row(n),
		});
		const items = [];
		for (let n = 0; n < count; n += 1) {
			items.push({ json: records ? record(n) : row(n), pairedItem: { item: 0 } });
		}
		return [items];
	}
}

module.exports = { BenchSource };
