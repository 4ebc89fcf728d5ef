/** Builds the package for these tests, unless its sources haven't changed since. */
import { runProgram } from '../host/cleanup.ts';
import { buildPackage } from '../host/packageInstall.ts';

await runProgram(async () => await buildPackage().then(() => 0));
