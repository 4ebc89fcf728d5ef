/**
 * The least that a service of this kind can be: Fastify and SQLite with the reference service's settings, without
 * credentials, limits, checks, events and field IDs. Prints its origin.
 */
import { DatabaseSync } from 'node:sqlite';
import fastify from 'fastify';

const sql = new DatabaseSync(process.argv[2] ?? ':memory:');
sql.exec(`
	PRAGMA locking_mode = EXCLUSIVE;
	PRAGMA journal_mode = WAL;
	PRAGMA synchronous = NORMAL;
	PRAGMA secure_delete = ON;
	PRAGMA foreign_keys = ON;
	PRAGMA temp_store = MEMORY;
	PRAGMA cache_size = -16384;
	CREATE TABLE records (
		card_id TEXT NOT NULL, id TEXT NOT NULL, data TEXT NOT NULL, created_at TEXT NOT NULL,
		PRIMARY KEY (card_id, id)
	) WITHOUT ROWID;
`);
const insert = sql.prepare('INSERT INTO records VALUES (?, ?, ?, ?)');
const page = sql.prepare(
	'SELECT id, data, created_at FROM records WHERE card_id = ? AND id > ? ORDER BY id LIMIT ?',
);
let count = 0;

const app = fastify();
app.post('/cards/:cid/records', (request, reply) => {
	const { cid } = request.params as { cid: string };
	const { data } = request.body as { data: object };
	const record = {
		id: String(count++).padStart(26, '0'),
		data,
		created_at: new Date().toISOString(),
	};
	sql.exec('BEGIN IMMEDIATE');
	insert.run(cid, record.id, JSON.stringify(data), record.created_at);
	sql.exec('COMMIT');
	return reply.code(201).send(record);
});
app.get('/cards/:cid/records', (request) => {
	const { cid } = request.params as { cid: string };
	const { limit = '50', cursor = '' } = request.query as { limit?: string; cursor?: string };
	const rows = page.all(cid, cursor, Number(limit) + 1) as Array<Record<string, string>>;
	const records = rows
		.slice(0, Number(limit))
		.map(({ id, data = '', created_at }) => ({ id, data: JSON.parse(data) as object, created_at }));
	const next = rows.length > Number(limit) ? records.at(-1)?.id : null;
	return { records, next_cursor: next };
});
process.stdout.write(`${await app.listen({ port: 0, host: '127.0.0.1' })}\n`);
process.stdin.resume().on('end', () => void app.close().then(() => process.exit(0)));
