/** The parts that the settings page works on. */
import type { WorkspaceData } from '../domain/workspaceData.ts';
import type { Clock } from '../foundation/clock.ts';
import type { Guard } from '../http/guard.ts';
import type { Store } from '../storage/store.ts';

/** Path of the settings page. */
export const settingsRoot = '/settings';

/** The parts that the settings page works on. */
export interface SettingsContext {
	store: Store;
	data: WorkspaceData;
	workspaceId: string;
	realm: string;
	password: string;
	/** The key that encrypts the cookie; kept with the data. */
	cookieKey: string;
	guard: Guard;
	/** The origin by which browsers reach the service, if it differs from the one it listens on. */
	publicUrl: string | undefined;
	mailServer: boolean;
	clock: Clock;
	/** Where the service listens; asked for at the first page. */
	addresses(): { baseUrl: string; authUrl: string };
}
