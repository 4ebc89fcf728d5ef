import { enter as entryOf, valueOf } from '../../../nodes/WorkspaceData/values/entry';

/** What is sent for an entered value. @throws the refusal */
export const enter = (...given: Parameters<typeof entryOf>): unknown => valueOf(entryOf(...given));
