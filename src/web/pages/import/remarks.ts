import type { Remark } from './folder.ts'

/** What is to be said of single files of a folder at the end of an import. */
export class Remarks {
  readonly refused: Remark[] = []
  /** What is stored differently from how the folder has it. */
  readonly changed: Remark[] = []
  readonly skipped: Remark[]

  constructor(skipped: readonly Remark[]) {
    this.skipped = [...skipped]
  }

  refuse(place: string, error: unknown): void {
    this.refused.push({ place, what: (error as Error).message })
  }

  change(place: string, what: string): void {
    this.changed.push({ place, what })
  }

  skip(place: string, what: string): void {
    this.skipped.push({ place, what })
  }
}
