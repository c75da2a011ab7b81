import { signal } from '@preact/signals'
import type { Remark } from './folder.ts'

/** How far an import is, and what came of it. */
export interface Progress {
  readonly isRunning: boolean
  /** Whether what was chosen can be imported. */
  readonly isOpen: boolean
  /** What is done, from 0 to 1. */
  readonly share: number
  readonly notes: number
  readonly files: number
  readonly properties: number
  readonly links: number
  /** How many notes and files an earlier import of the same folder made. */
  readonly before: number
  readonly refused: readonly Remark[]
  /** What is stored differently from how the folder has it. */
  readonly changed: readonly Remark[]
  readonly skipped: readonly Remark[]
  /** Whether the server is waited for. */
  readonly isWaiting: boolean
  /** Why it ended early. */
  readonly stopped?: string
}

export const NOTHING_DONE: Progress = {
  isRunning: true,
  isOpen: false,
  share: 0,
  notes: 0,
  files: 0,
  properties: 0,
  links: 0,
  before: 0,
  refused: [],
  changed: [],
  skipped: [],
  isWaiting: false,
}

/** The import of this person that runs, or what came of the last. */
export const progress = signal<Progress | undefined>(undefined)
