/*
 * The worker within the child process (`child.ts`) that meets the bytes of a file: it may hang or take all memory,
 * and the process ends with it.
 */
import { type Extracted, Unreadable } from './document.ts'
import type { Kind } from './kinds.ts'
import { readDocument } from './read.ts'

declare const self: Worker

export interface Task {
  readonly kind: Kind
  readonly bytes: Uint8Array
}

export type Result = Extracted | { readonly failed: string }

const DAMAGED = 'The file cannot be read; it may be damaged.'

async function resultOf({ kind, bytes }: Task): Promise<Result> {
  try {
    return await readDocument(kind, bytes)
  } catch (error) {
    return { failed: error instanceof Unreadable ? error.message : DAMAGED }
  }
}

self.onmessage = async ({ data }: MessageEvent<Task>) => self.postMessage(await resultOf(data))
