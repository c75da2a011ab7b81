/** A file whose text is not extracted yet. */
export interface UnreadFile {
  readonly pk: number
  /** The form, key or user that it came from. */
  readonly sender: string
  readonly isOfForm: boolean
}

interface Turns {
  /** How many of the sender's files took all the time or memory that reading one may take. */
  overLimit: number
  /** The number of the sender's last turn. */
  last: number
}

/**
 * Decides which file is read next. Senders take turns. Files of forms are read while no others wait, and only one at a time. A
 * sender whose files reach the limits of reading comes after the others, with one file at a time. That is forgotten once
 * none of its files is unread.
 */
export class ReadingOrder {
  readonly #running = new Set<UnreadFile>()
  #senders = new Map<string, Turns>()
  #turns = 0

  get running(): number {
    return this.#running.size
  }

  /** Begins the turn of a file; undefined while none may be read. `unread` are all files, oldest first. */
  begin(unread: readonly UnreadFile[]): UnreadFile | undefined {
    this.#senders = new Map(
      unread.map(({ sender }) => [sender, this.#senders.get(sender) ?? { overLimit: 0, last: 0 }]),
    )
    const pks = new Set(Array.from(this.#running, ({ pk }) => pk))
    let next: UnreadFile | undefined
    for (const file of unread)
      if (!pks.has(file.pk) && this.#mayRun(file) && (!next || this.#isBefore(file, next))) next = file
    if (!next) return undefined
    this.#turnsOf(next).last = ++this.#turns
    this.#running.add(next)
    return next
  }

  end(file: UnreadFile, isOverLimit: boolean): void {
    this.#running.delete(file)
    if (isOverLimit) this.#turnsOf(file).overLimit += 1
  }

  #turnsOf({ sender }: UnreadFile): Turns {
    const turns = this.#senders.get(sender) ?? { overLimit: 0, last: 0 }
    this.#senders.set(sender, turns)
    return turns
  }

  #mayRun(file: UnreadFile): boolean {
    const isSlow = this.#turnsOf(file).overLimit > 0
    return ![...this.#running].some(
      ({ sender, isOfForm }) => (file.isOfForm && isOfForm) || (isSlow && sender === file.sender),
    )
  }

  #isBefore(file: UnreadFile, other: UnreadFile): boolean {
    if (file.isOfForm !== other.isOfForm) return other.isOfForm
    const [own, others] = [this.#turnsOf(file), this.#turnsOf(other)]
    return own.overLimit === others.overLimit ? own.last < others.last : own.overLimit < others.overLimit
  }
}
