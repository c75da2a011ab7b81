import { resolve } from 'node:path'
import { pathToFileURL, spawnSync } from 'bun'

/** The programs of threads, in `src`. */
const THREADS = ['worker.ts', 'storage/backup-sync-worker.ts', 'storage/checkpoint-worker.ts']

/** Bundles the programs of threads into a folder: loading them from the sources takes several times as long. */
export function bundleThreads(folder: string): void {
  const command = [
    process.execPath,
    'build',
    ...THREADS.map((path) => `src/${path}`),
    '--root=src',
    '--target=bun',
    '--format=esm',
    '--splitting',
    `--outdir=${folder}`,
    // The only module of a thread that uses its own place, to start other programs.
    `--define=import.meta.url=${JSON.stringify(pathToFileURL(resolve('src/lib/program.ts')).href)}`,
  ]
  const { exitCode } = spawnSync(command, { stdio: ['inherit', 'ignore', 'inherit'] })
  if (exitCode !== 0) process.exit(1)
}
