/** What this process remembers about services between executions, in memory only and with limits. */
import type { ICredentialDataDecryptedObject } from 'n8n-workflow';
import { BoundedMap } from '../model/boundedMap';
import { Account, accountKey } from './auth/account';
import { systemClock, type Clock } from './http/clock';
import { Pace } from './http/pace';

/** The maximum number of keys, and of service accounts. */
const MAX_KNOWN = 1_000;

const paces = new BoundedMap<string, Pace>(MAX_KNOWN);
const accounts = new BoundedMap<string, Account>(MAX_KNOWN);

let endedChanges = 0;

/** Counts a change of a record that has just ended in this process. @returns its number */
export const countChange = (): number => (endedChanges += 1);

/** Returns the number of the last change that has ended. A page that is requested from now on shows it. */
export const lastChange = (): number => endedChanges;

/** Returns the pace of a key, shared by all executions. @param fingerprint identifies the credential */
export const paceOf = (fingerprint: string, clock: Clock): Pace =>
	paces.getOrCreate(fingerprint, () => new Pace(clock));

/** Returns a service account with its access token, shared by all executions. */
export const accountOf = (credential: ICredentialDataDecryptedObject): Account =>
	accounts.getOrCreate(accountKey(credential), () => new Account(systemClock));
