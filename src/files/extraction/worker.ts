/*
 * The worker that reads a file, inside the child process of `process.ts`. It may hang or exhaust the memory; the child
 * process then exits.
 */

import type { Kind } from './kinds.ts'
import { type ExtractedText, Unreadable } from './pages.ts'
import { readDocument } from './read-document.ts'

declare const self: Worker

export interface Task {
  readonly kind: Kind
  readonly bytes: Uint8Array
}

/** Why a file could not be read, and whether reading reached the time or memory limit. */
export interface ExtractionFailure {
  readonly failed: string
  readonly isOverLimit?: true
}

export type ExtractionResult = ExtractedText | ExtractionFailure

/** A message of the worker; the first one reports its start. */
export type Message = 'started' | ExtractionResult

const DAMAGED = 'The file cannot be read; it may be damaged.'

async function resultOf({ kind, bytes }: Task): Promise<ExtractionResult> {
  try {
    return await readDocument(kind, bytes)
  } catch (error) {
    return { failed: error instanceof Unreadable ? error.message : DAMAGED }
  }
}

self.onmessage = async ({ data }: MessageEvent<Task>) => self.postMessage(await resultOf(data))
self.postMessage('started' satisfies Message)
