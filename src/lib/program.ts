import { existsSync } from 'node:fs'

/** Whether this process runs the compiled executable, which embeds every program, rather than the sources. */
const isExecutable = /^(?:\/\$bunfs\/|[A-Z]:[\\/]~BUN[\\/])/.test(Bun.main)

/**
 * The specifier that starts a worker; `path` is that of its program below `src`, and `scripts/build.ts` embeds it under
 * the same name. In the executable `import.meta.url` is a path of the build machine, so it cannot be used there.
 */
export const workerProgram = (path: string): string =>
  isExecutable ? `./${path}` : new URL(`../${path}`, import.meta.url).href

/** On Linux: the running program, even if an upgrade has replaced its file. */
const SELF = '/proc/self/exe'

/** The beginning of a command line that starts this program again. */
export const ownCommand = (): string[] =>
  isExecutable
    ? [existsSync(SELF) ? SELF : process.execPath]
    : [process.execPath, Bun.fileURLToPath(new URL('../main.ts', import.meta.url))]
