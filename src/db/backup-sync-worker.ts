/*
 * A worker that brings a file to the disk a little at a time while another thread writes it. Otherwise the system
 * collects what was written and writes it to the disk at once, and every commit meanwhile waits for all of it.
 */
import { fdatasyncSync, openSync } from 'node:fs'

declare const self: Worker

const PAUSE_MS = 10

const pause = (): unknown => Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, PAUSE_MS)

/** Does not return: the thread is terminated. */
function syncUntilTerminated(path: string): never {
  let descriptor: number | undefined
  for (;;) {
    try {
      descriptor ??= openSync(path, 'r+')
      fdatasyncSync(descriptor)
    } catch {
      // It is not there yet; a disk that fails is found out by the one who writes.
    }
    pause()
  }
}

self.onmessage = ({ data }: MessageEvent<string>) => syncUntilTerminated(data)
self.postMessage('started')
