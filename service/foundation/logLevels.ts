/** The levels of the log. */
/** Levels, least to most verbose; `info` has a line for each request and each answer. */
export const logLevels = ['silent', 'error', 'warn', 'info', 'debug'] as const;

/** Least severe level that is written. */
export type LogLevel = (typeof logLevels)[number];
