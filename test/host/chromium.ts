/** The browser that the tests drive. */
import { existsSync } from 'node:fs';

/** Of Debian's two, the headless shell takes a fifth less of the processor. */
const PATHS = ['/usr/bin/chromium-headless-shell', '/usr/bin/chromium'];

/** The path of its program; `CHROMIUM_PATH` names another one. */
export const chromiumPath = (): string | undefined =>
	process.env.CHROMIUM_PATH ?? PATHS.find((path) => existsSync(path));
