/** A file whose text is not extracted yet. */
export interface UnreadFile {
  readonly pk: number
  /** The form, key or user that it came from. */
  readonly sender: string
  readonly isOfForm: boolean
}

interface SenderHistory {
  /** The number of the sender's files that reached the time or memory limit of reading. */
  overLimit: number
  /** The number of the sender's last turn. */
  last: number
}

/**
 * Schedules the files to read, fairly among senders. Files of forms are read only while no other files are pending, one
 * at a time. Senders whose files reach the limits of reading come after all others, with one file at a time. That ends
 * once none of the sender's files is unread.
 */
export class ReadingOrder {
  readonly #running = new Set<UnreadFile>()
  #senders = new Map<string, SenderHistory>()
  #readings = 0

  get running(): number {
    return this.#running.size
  }

  /** Starts the next file; undefined while none may be read. `unread` are all files, oldest first. */
  begin(unread: readonly UnreadFile[]): UnreadFile | undefined {
    this.#senders = new Map(
      unread.map(({ sender }) => [sender, this.#senders.get(sender) ?? { overLimit: 0, last: 0 }]),
    )
    const pks = new Set(Array.from(this.#running, ({ pk }) => pk))
    let next: UnreadFile | undefined
    for (const file of unread)
      if (!pks.has(file.pk) && this.#mayRun(file) && (!next || this.#isBefore(file, next))) next = file
    if (!next) return undefined
    this.#historyOf(next).last = ++this.#readings
    this.#running.add(next)
    return next
  }

  end(file: UnreadFile, isOverLimit: boolean): void {
    this.#running.delete(file)
    if (isOverLimit) this.#historyOf(file).overLimit += 1
  }

  #historyOf({ sender }: UnreadFile): SenderHistory {
    const history = this.#senders.get(sender) ?? { overLimit: 0, last: 0 }
    this.#senders.set(sender, history)
    return history
  }

  #mayRun(file: UnreadFile): boolean {
    const isSlow = this.#historyOf(file).overLimit > 0
    return ![...this.#running].some(
      ({ sender, isOfForm }) => (file.isOfForm && isOfForm) || (isSlow && sender === file.sender),
    )
  }

  #isBefore(file: UnreadFile, other: UnreadFile): boolean {
    if (file.isOfForm !== other.isOfForm) return other.isOfForm
    const [own, others] = [this.#historyOf(file), this.#historyOf(other)]
    return own.overLimit === others.overLimit ? own.last < others.last : own.overLimit < others.overLimit
  }
}
