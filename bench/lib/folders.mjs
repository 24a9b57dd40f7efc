// Where the peers are installed, and where runs put their results and files; nothing of it is in this repository.
import { homedir } from 'node:os';
import { join } from 'node:path';
export const HOME = process.env.BENCH_HOME ?? join(homedir(), '.cache', 'browser-bench');
export const PKGS = process.env.BENCH_PKGS ?? join(HOME, 'node_modules'), RESULTS = process.env.BENCH_RESULTS ?? join(HOME, 'results');
export const SCRATCH = process.env.BENCH_SCRATCH ?? join(HOME, 'scratch');
