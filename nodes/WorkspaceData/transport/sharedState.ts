/** What all executions of this process share: in memory only, and with bounds. */
import type { ICredentialDataDecryptedObject } from 'n8n-workflow';
import { BoundedMap } from '../values/boundedMap';
import { accountKey, ServiceAccountToken } from './auth/serviceAccountToken';
import { systemClock, type Clock } from './http/clock';
import { Pace } from './http/pace';

/** The maximum number of keys, and of service accounts. */
const MAX_KNOWN = 1_000;

/** What is learned from the responses to a key. */
export interface KeyState {
	readonly pace: Pace;
	/** True if the service refuses pages of records with a `limit`, and returns them without one. */
	omitsLimit: boolean;
}

const keys = new BoundedMap<string, KeyState>(MAX_KNOWN);
const tokens = new BoundedMap<string, ServiceAccountToken>(MAX_KNOWN);

/** Returns what is known of a key. @param fingerprint identifies the credential */
export const stateOfKey = (fingerprint: string, clock: Clock): KeyState =>
	keys.getOrCreate(fingerprint, () => ({ pace: new Pace(clock), omitsLimit: false }));

/** Returns the access token of a service account. */
export const tokenOf = (credential: ICredentialDataDecryptedObject): ServiceAccountToken =>
	tokens.getOrCreate(accountKey(credential), () => new ServiceAccountToken(systemClock));

let endedChanges = 0;

/** Counts a change of a record that has just ended in this process. @returns its number */
export const countChange = (): number => (endedChanges += 1);

/** Returns the number of the last change that has ended. A page that is requested from now on shows it. */
export const lastChange = (): number => endedChanges;
