/** What is kept otherwise than it stands in the folder. */
export interface Change {
  /** The file. */
  readonly place: string
  readonly what: string
}

const CHANGES_TOLD = 20

/** Counts what is changed on the way, and keeps the first to tell. */
export class Changes {
  count = 0
  readonly first: Change[] = []

  note(place: string, what: string): void {
    this.count += 1
    if (this.first.length < CHANGES_TOLD) this.first.push({ place, what })
  }
}
