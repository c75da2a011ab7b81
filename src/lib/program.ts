import { existsSync } from 'node:fs'

/** Whether this process runs the executable, in which every program is embedded, and not the sources. */
const isExecutable = /^(?:\/\$bunfs\/|[A-Z]:[\\/]~BUN[\\/])/.test(Bun.main)

/**
 * What starts a worker; `path` names its program below `src`, and `scripts/build.ts` embeds it by the same name.
 * In the executable `import.meta.url` is where the sources stood when it was built, so it must not be asked there.
 */
export const workerProgram = (path: string): string =>
  isExecutable ? `./${path}` : new URL(`../${path}`, import.meta.url).href

/** On Linux: the program that runs, also when an upgrade has put another one in its place. */
const SELF = '/proc/self/exe'

/** The beginning of a command line that starts this program once more. */
export const ownCommand = (): string[] =>
  isExecutable
    ? [existsSync(SELF) ? SELF : process.execPath]
    : [process.execPath, Bun.fileURLToPath(new URL('../main.ts', import.meta.url))]
