import { type Signal, signal } from '@preact/signals'
import { type DraftOptions, type Exchange, isSentAgain, type SaveState, stateAfter } from './draft-options.ts'
import {
  type Choice,
  type Conflict,
  changesBetween,
  fingerprint,
  hasSameText,
  isSameEntry,
  mergeKeepingBoth,
  mergeNotes,
  type NoteEntry,
  type NoteText,
  type NoteVersion,
  resolvedText,
  resolvePassage,
  withSent,
} from './note-text.ts'
import { Refused, retryDelayOf } from './request.ts'

/** The pause in typing after which edits are saved. */
const PAUSE_MS = 1_000
/** Titles are saved later, or when their field loses the focus, because saving one rewrites links in other notes. */
const TITLE_PAUSE_MS = 4_000
/** Edits of another tab are saved by that tab, unless it was closed. */
const ELSEWHERE_PAUSE_MS = 5_000

/** The number of edits in this tab. */
let editCount = 0

/**
 * The text of one note as a tab shows it. Its unsaved edits are an entry of the outbox, which all tabs share: every tab
 * merges what the others typed, and the first one whose turn it is sends the entry. Concurrent changes of others are
 * merged; if both changed the same lines, nothing is saved until the conflict is resolved.
 */
export class NoteDraft {
  readonly text: Signal<NoteText>
  readonly state: Signal<SaveState> = signal({ kind: 'saved' })
  #base: NoteVersion
  /** Fingerprints of the texts sent since then without an acknowledgement. */
  #sent: readonly string[] = []
  #at = 0
  /** The text in the outbox, or else the saved one, that the edits of this tab are based on. */
  #seen: NoteText
  #isStored = false
  /** The edits of this tab since its last exchange with the outbox, by number. */
  readonly #edits = new Map<number, NoteText>()
  #isExchanging = false
  #isExchangeDue = false
  #isSaving = false
  #saving: Promise<void> = Promise.resolve()
  #isUnsaved = false
  #cancel: (() => void) | undefined
  /** Whether the next save is due because of an edit in this tab. */
  #isEditedHere = false
  /** The saved version that was received last while edits were pending. */
  #received: NoteVersion | undefined
  /** The text of the current conflict. */
  #inConflict: NoteText | undefined
  /** An entry that could not be replaced, and is part of the edits. */
  #included: NoteEntry | undefined

  constructor(
    base: NoteVersion,
    readonly options: DraftOptions,
    /** The entry of the note in the outbox. */
    entry?: NoteEntry,
  ) {
    this.#base = base
    this.#seen = { title: base.title, content: base.content }
    this.text = signal(this.#seen)
    if (entry) this.#adopt(entry, undefined)
  }

  get base(): NoteVersion {
    return this.#base
  }

  get isUnsaved(): boolean {
    return this.#isUnsaved
  }

  /** Records an edit, which is saved after a pause. */
  edit(change: Partial<NoteText>): void {
    const text = { ...this.text.peek(), ...change }
    if (hasSameText(text, this.text.peek())) return
    this.text.value = text
    this.#at = Date.now()
    this.#setUnsaved(true)
    this.#store()
    this.#extendConflict()
    if (this.#isSaving || !this.#isUnsaved || this.state.peek().kind === 'conflict') return
    this.#isEditedHere = true
    this.#wait(change.title === undefined ? PAUSE_MS : TITLE_PAUSE_MS)
  }

  /** Edits typed just before the conflict is shown are part of it. If they resolve it, the next exchange saves them. */
  #extendConflict(): void {
    const state = this.state.peek()
    if (state.kind !== 'conflict') return
    const conflict = mergeNotes(this.#base, this.text.peek(), state.conflict.theirs)
    if (!resolvedText(conflict)) this.#setConflict(conflict)
  }

  #setConflict(conflict: Conflict): void {
    this.#inConflict = this.text.peek()
    this.state.value = { kind: 'conflict', conflict }
  }

  /** Saves pending edits immediately. Resolves when they are saved or cannot be saved now. */
  async flush(): Promise<void> {
    const isInFlight = this.#isSaving
    if (this.#isUnsaved && this.state.peek().kind !== 'conflict') this.#save()
    await this.#saving
    // Edits since the start of that save would wait for a pause in typing.
    if (isInFlight && this.state.peek().kind === 'waiting') await this.flush()
  }

  /** Adopts a saved version if no edits are pending; otherwise the next save merges it. */
  receive(version: NoteVersion): void {
    const base = this.#base
    if (version.updated_at === base.updated_at) return
    // Either a late response, or the server was restored from a backup and its current version is older, too.
    if (version.updated_at < base.updated_at) this.#ask()
    else this.#take(version)
  }

  /** Reads and adopts the saved version, unless another one was saved or received meanwhile. */
  #ask(): void {
    const base = this.#base
    this.options.read().then(
      (saved) => this.#base === base && saved.updated_at !== base.updated_at && this.#take(saved),
      () => {},
    )
  }

  #take(version: NoteVersion): void {
    if (!this.#isUnsaved) this.#show(version)
    else if (!hasSameText(version, this.#base)) this.#received = version
    else
      void this.#exchange(() => {
        if (hasSameText(version, this.#base) && version.updated_at > this.#base.updated_at)
          this.#base = version
      })
  }

  /** Shows a saved version, without edits. */
  #show({ title, content, updated_at }: NoteVersion): void {
    this.#base = { title, content, updated_at }
    this.#sent = []
    this.#seen = { title, content }
    this.#setText(this.#seen)
  }

  #setText({ title, content }: NoteText): void {
    if (!hasSameText(this.text.peek(), { title, content })) this.text.value = { title, content }
  }

  /** Resolves one conflict; after the last one, saves the result. */
  resolve(place: 'title' | 'content', index: number, choice: Choice): void {
    const state = this.state.peek()
    if (state.kind !== 'conflict') return
    const conflict = resolvePassage(state.conflict, place, index, choice)
    const [before, resolved] = [this.text.peek(), resolvedText(conflict)]
    this.state.value = { kind: 'conflict', conflict }
    if (!resolved) return
    void this.#exchange(() => {
      if (this.state.peek().kind === 'conflict')
        this.#rebase(conflict.theirs, mergeKeepingBoth(before, resolved, this.text.peek()))
    }).then(() => this.flush())
  }

  /** Discards unsaved edits, also those of other tabs, and shows the saved version. */
  discard(): void {
    this.#discard()
    this.options.discard()
  }

  #discard(): void {
    this.#isStored = false
    this.#edits.clear()
    this.#show(this.#base)
    this.#settle()
  }

  /** Adopts what another tab has done with the entry. */
  sync(isDiscarded: boolean): void {
    if (isDiscarded && hasSameText(this.text.peek(), this.#seen)) this.#discard()
    else this.#exchangeSoon()
  }

  /** Stores the unacknowledged edits again. */
  storeAgain(): void {
    this.#isStored = false
    if (this.#isUnsaved) this.#store()
  }

  /** Stores the text, and then merges it with the entry. */
  #store(): void {
    const count = ++editCount
    this.#edits.set(count, this.text.peek())
    this.options.write({ ...this.#entry(), seen: this.#seen, count })
    this.#exchangeSoon()
  }

  /** Exchanges the edits with the outbox, once for all changes while an exchange is in flight. */
  #exchangeSoon(): void {
    this.#isExchangeDue = true
    if (!this.#isExchanging) void this.#exchangeAll()
  }

  async #exchangeAll(): Promise<void> {
    this.#isExchanging = true
    while (this.#isExchangeDue) {
      this.#isExchangeDue = false
      await this.#exchange()
    }
    this.#isExchanging = false
  }

  #entry(): NoteEntry {
    return { base: this.#base, text: this.text.peek(), sent: this.#sent, at: this.#at }
  }

  /** Changes the edits after those of other tabs were merged, and stores the result. Without storage, only changes them. */
  async #exchange(change: () => void = () => {}): Promise<void> {
    let isChanged = false
    let found: NoteEntry | undefined
    let seen = this.#seen
    const next: Exchange = (entry, folded) => {
      isChanged = true
      found = entry
      this.#adopt(entry, folded)
      seen = this.#seen
      this.#change(change)
      this.#isStored = this.#isUnsaved
      if (!this.#isUnsaved) return undefined
      this.#seen = this.text.peek()
      return this.#entry()
    }
    try {
      await this.options.exchange(next)
      this.#included = undefined
    } catch {
      this.#isStored = false
      this.#included = found
      // Other tabs do not see what could not be stored, so their entries lack it.
      if (isChanged && this.#isUnsaved) this.#seen = seen
    }
    if (!isChanged) this.#change(change)
  }

  #change(change: () => void): void {
    change()
    const state = this.state.peek()
    if (state.kind === 'conflict' && this.#inConflict && !hasSameText(this.#inConflict, this.text.peek()))
      this.#merge(this.#base, state.conflict.theirs)
    if (!this.#isSaving) this.#settleUndone()
  }

  /** With unacknowledged requests, it is unknown which text the server has saved. */
  #settleUndone(): void {
    const isPending = this.state.peek().kind === 'conflict' || this.#sent.length > 0
    if (this.#isUnsaved && !isPending && hasSameText(this.text.peek(), this.#base)) this.#settle()
  }

  #settle(): void {
    this.#cancelSave()
    this.#setUnsaved(false)
    this.state.value = { kind: 'saved' }
  }

  /** Merges the entry of the outbox into the edits of this tab. */
  #adopt(entry: NoteEntry | undefined, folded: number | undefined): void {
    const seen = (folded === undefined ? undefined : this.#edits.get(folded)) ?? this.#seen
    this.#edits.clear()
    if (!entry && this.#isStored) this.#adoptRemoval(seen)
    if (!entry || (this.#included && isSameEntry(entry, this.#included))) return
    const isRebased = entry.base.updated_at !== this.#base.updated_at
    const isChanged = !this.#isUnsaved || isRebased || !hasSameText(entry.text, seen)
    this.#setText(mergeKeepingBoth(seen, this.text.peek(), entry.text))
    this.#seen = entry.text
    this.#base = entry.base
    this.#sent = entry.sent
    this.#at = Math.max(this.#at, entry.at)
    this.#isStored = true
    this.#setUnsaved(true)
    const { kind } = this.state.peek()
    const isPending = kind === 'away' || (kind === 'conflict' && !isRebased)
    // The other tab saves its edits before this one, if it is still open.
    if (isChanged && !isPending && !this.#isSaving && !this.#isEditedHere) this.#wait(ELSEWHERE_PAUSE_MS)
  }

  /** Another tab has saved the edits that were seen, or has discarded them. */
  #adoptRemoval(seen: NoteText): void {
    this.#isStored = false
    this.#sent = withSent(this.#sent, seen)
    this.#base = { ...this.#base, seen }
    if (!hasSameText(this.text.peek(), seen)) return
    this.#settle()
    this.#ask()
  }

  #setUnsaved(isUnsaved: boolean): void {
    if (this.#isUnsaved === isUnsaved) return
    this.#isUnsaved = isUnsaved
    this.options.onUnsaved(isUnsaved)
  }

  #wait(ms = PAUSE_MS): void {
    if (this.state.peek().kind !== 'waiting') this.state.value = { kind: 'waiting' }
    this.#saveAfter(ms)
  }

  #saveAfter(ms: number): void {
    this.#cancel?.()
    this.#cancel = this.options.later(() => this.#save(), ms)
  }

  #cancelSave(): void {
    this.#cancel?.()
    this.#isEditedHere = false
  }

  #save(): void {
    this.#cancelSave()
    // An earlier attempt to store the edits may have failed.
    if (this.#isUnsaved && !this.#isStored) this.#exchangeSoon()
    if (!this.#isSaving) this.#saving = this.#saveInOrder()
  }

  async #saveInOrder(): Promise<void> {
    this.#isSaving = true
    this.state.value = { kind: 'saving' }
    try {
      await this.options.inOrder(this.#at, () => this.#send())
    } catch (error) {
      if (this.#isUnsaved) this.#recover(error as Error)
    } finally {
      this.#isSaving = false
    }
    if (this.#isUnsaved && this.state.peek().kind === 'saving') this.#wait()
  }

  /** Sends the edits of all tabs. If the note has changed, merges it with them and sends the result. */
  async #send(): Promise<void> {
    for (;;) {
      let sent: NoteText | undefined
      await this.#exchange(() => {
        this.#settleUndone()
        if (!this.#isUnsaved || this.state.peek().kind === 'conflict') return
        sent = this.text.peek()
        this.#sent = withSent(this.#sent, sent)
      })
      if (!sent) return
      const text: NoteText = sent
      try {
        const saved = await this.options.save(changesBetween(this.#base, text), this.#base.updated_at)
        // The server may have changed more than was sent: it rewrites the note's links to itself when the title changes.
        await this.#exchange(() => (this.#isUnsaved ? this.#merge(text, saved) : this.#show(saved)))
        return
      } catch (error) {
        if (!(error instanceof Refused && error.code === 'stale')) throw error
      }
      // It may be an earlier, unacknowledged version of these edits.
      const theirs = await this.options.read()
      await this.#exchange(() => {
        if (!this.#isUnsaved) this.#show(theirs)
        else this.#merge(this.#sent.includes(fingerprint(theirs)) ? theirs : this.#base, theirs)
      })
    }
  }

  #recover(error: Error): void {
    this.state.value = stateAfter(error)
    if (isSentAgain(error)) this.#saveAfter(retryDelayOf(error))
  }

  /** Merges a saved version. */
  #merge(base: NoteText, theirs: NoteVersion): void {
    const conflict = mergeNotes(base, this.text.peek(), theirs)
    const text = resolvedText(conflict)
    if (text) this.#rebase(theirs, text)
    else this.#setConflict(conflict)
  }

  /** Makes this version the base of the edits. */
  #rebase(base: NoteVersion, text: NoteText): void {
    this.#base = base
    this.#sent = []
    this.#setText(text)
    this.#setUnsaved(!hasSameText(base, this.text.peek()))
    if (!this.#isUnsaved) this.state.value = { kind: 'saved' }
    else if (this.state.peek().kind === 'conflict') this.#wait()
    const received = this.#received
    this.#received = undefined
    // The response to a retried request is the one of the first attempt, which may be outdated.
    if (received && received.updated_at > base.updated_at) this.#ask()
  }
}
