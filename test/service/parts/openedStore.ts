/** A store in memory with one workspace, and a clock that the test sets: what is stored, without HTTP. */
import { createWorkspaceData } from '../../../service/domain/workspaceData.ts';
import type { Clock } from '../../../service/foundation/clock.ts';
import { defaultQuotas, type Quotas } from '../../../service/foundation/quotas.ts';
import { openStore } from '../../../service/storage/store.ts';

/** The time at which a store is opened. */
export const opened = Date.UTC(2026, 0, 1);

/** Opens a store. */
export function openedStore(given: Partial<Quotas> = {}, file = ':memory:') {
	const time = { now: opened };
	const clock: Clock = {
		now: () => time.now,
		iso: () => new Date(time.now).toISOString(),
		monotonic: () => time.now,
		steady: () => time.now,
	};
	const quotas = { ...defaultQuotas, ...given };
	const store = openStore(file, clock, quotas);
	const { id: wid } =
		store.identities.defaultWorkspace() ??
		store.identities.createWorkspace('Workspace', 'owner@example.com');
	return { time, clock, quotas, store, wid, data: createWorkspaceData(store, quotas) };
}
