/*
 * A worker that syncs a file to the disk continuously while another thread writes it. Otherwise the system would
 * collect the written pages and flush them at once, and every commit meanwhile would wait for all of them.
 */
import { fdatasyncSync, openSync } from 'node:fs'

declare const self: Worker

const PAUSE_MS = 10

const pause = (): unknown => Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, PAUSE_MS)

/** Never returns: the thread is terminated. */
function syncUntilTerminated(path: string): never {
  let descriptor: number | undefined
  for (;;) {
    try {
      descriptor ??= openSync(path, 'r+')
      fdatasyncSync(descriptor)
    } catch {
      // The file does not exist yet. The writer reports a failing disk.
    }
    pause()
  }
}

self.onmessage = ({ data }: MessageEvent<string>) => syncUntilTerminated(data)
self.postMessage('started')
