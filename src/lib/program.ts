import { existsSync } from 'node:fs'
import { basename, join } from 'node:path'

/** Whether this process runs the compiled executable, which embeds all programs, rather than the sources. */
export const isExecutable = /^(?:\/\$bunfs\/|[A-Z]:[\\/]~BUN[\\/])/.test(Bun.main)

/** The command in texts for users: a clone has no `daybook` on its path. */
export const COMMAND = isExecutable ? 'daybook' : 'bun run daybook'

/**
 * The specifier that starts a worker. `path` is relative to `src`; `scripts/build.ts` embeds the program under its
 * path in the repository. In the executable `import.meta.url` is a path of the build machine, so it cannot be used
 * there.
 */
export const workerProgram = (path: string): string =>
  isExecutable ? `./src/${path}` : new URL(`../${path}`, import.meta.url).href

const ROOT = /^(?:\/\$bunfs\/root|[A-Z]:[\\/]~BUN[\\/]root)/

/** The path of a file that is imported with `type: 'file'`. The executable embeds all of them in one root folder. */
export const embeddedPath = (path: string): string =>
  isExecutable ? join(ROOT.exec(Bun.main)?.[0] ?? '', basename(path)) : path

export const embeddedFile = (path: string): Bun.BunFile => Bun.file(embeddedPath(path))

/** On Linux, the running program, even after an upgrade has replaced its file. */
const SELF = '/proc/self/exe'

/** The beginning of a command line that starts this program. */
export const ownCommand = (): string[] =>
  isExecutable
    ? [existsSync(SELF) ? SELF : process.execPath]
    : [process.execPath, Bun.fileURLToPath(new URL('../main.ts', import.meta.url))]
