/** The output of operations on cards and fields. */
import type { WrittenAs } from '../../records/hints';
import type { Run } from '../../records/run';
import type { Card } from '../../transport/api';
import type { JsonObject } from '../../values/json';

/** A card or a field as the service sent it, its ID as text. A later node may change it. */
export const thingOutput = ({ id, raw }: Pick<Card, 'id' | 'raw'>): JsonObject => ({ ...raw, id });

/** The output for a card or a field that was written: as the response shows it, else what was sent. */
export function writtenOutput(
	{ done }: Run,
	as: WrittenAs,
	shown: Pick<Card, 'id' | 'raw'> | undefined,
	sent: JsonObject,
): JsonObject {
	const item = shown ? thingOutput(shown) : sent;
	done.add(as, String(item.id ?? ''), item);
	return item;
}
