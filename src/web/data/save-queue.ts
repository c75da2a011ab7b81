import { type Signal, signal } from '@preact/signals'
import {
  type Choice,
  type Conflict,
  type Draft,
  fingerprint,
  hasSameText,
  mergeNotes,
  type NoteText,
  type NoteVersion,
  resolvedText,
  resolvePassage,
} from './note-text.ts'
import { Refused, retryDelayOf, Unreachable } from './request.ts'
import { NotSent } from './sending.ts'

export type SaveState =
  | { readonly kind: 'saved' }
  | { readonly kind: 'waiting' }
  | { readonly kind: 'saving' }
  | { readonly kind: 'away' }
  | { readonly kind: 'signed-out' }
  | { readonly kind: 'conflict'; readonly conflict: Conflict }
  | { readonly kind: 'refused'; readonly sentence: string; readonly isGone: boolean }

/** The unacknowledged edits: the text, its base version, and fingerprints of the texts sent since. */
export type UnsavedEdits = Pick<Draft, 'base' | 'text' | 'sent'>

/** The dependencies of a queue. */
export interface QueueOptions {
  /** Saves changes if the note still has this `updated_at`, else throws `Refused` with the code `stale`. */
  readonly save: (changes: Partial<NoteText>, ifUnchanged: string) => Promise<NoteVersion>
  readonly read: () => Promise<NoteVersion>
  /** Stores the unacknowledged edits; undefined removes them once everything is saved. */
  readonly keep: (draft: UnsavedEdits | undefined) => void
  /** Calls a function after a delay. Returns a function that cancels the call. */
  readonly later: (act: () => void, ms: number) => () => void
  readonly onUnsaved: (isUnsaved: boolean) => void
}

/** The pause in typing after which edits are saved. */
const PAUSE_MS = 1_000
/** Titles are saved later, or when their field loses the focus, because saving one rewrites links in other notes. */
const TITLE_PAUSE_MS = 4_000
const MAX_SENT = 100

/** Includes the content even without a difference: then it is unknown whether the server has saved it. */
const changesBetween = (base: NoteText, text: NoteText): Partial<NoteText> => ({
  ...(text.title !== base.title && { title: text.title }),
  ...((text.content !== base.content || text.title === base.title) && { content: text.content }),
})

/**
 * Saves one note while it is edited: one request at a time with all edits so far, retried while the server cannot be
 * reached. Concurrent changes are merged; if both changed the same lines, nothing is saved until the conflict is resolved.
 */
export class SaveQueue {
  readonly text: Signal<NoteText>
  readonly state: Signal<SaveState> = signal({ kind: 'saved' })
  #base: NoteVersion
  #sent: readonly string[]
  #isSaving = false
  /** The current or last save. */
  #saving: Promise<void> = Promise.resolve()
  #isUnsaved = false
  #cancel: (() => void) | undefined
  /** The saved version that was received last while edits were pending. */
  #received: NoteVersion | undefined

  constructor(
    base: NoteVersion,
    readonly options: QueueOptions,
    draft: Pick<UnsavedEdits, 'text' | 'sent'> = { text: base, sent: [] },
  ) {
    const { text, sent } = draft
    this.#base = base
    this.#sent = sent
    this.text = signal({ title: text.title, content: text.content })
    if (hasSameText(text, base) && sent.length === 0) return
    this.#markUnsaved()
    this.#wait()
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
    const state = this.state.peek()
    const isIdle = state.kind !== 'conflict' && !this.#isSaving
    // With unacknowledged requests, it is unknown which text the server has saved.
    if (isIdle && this.#sent.length === 0 && hasSameText(text, this.#base)) this.discard()
    else this.#markUnsaved()
    // Edits typed just before the conflict is shown are part of it.
    const isMerged = state.kind === 'conflict' && this.#merge(this.#base, state.conflict.theirs)
    if ((isIdle || isMerged) && this.#isUnsaved)
      this.#wait(change.title === undefined ? PAUSE_MS : TITLE_PAUSE_MS)
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

  #take(version: NoteVersion): false {
    if (!this.#isUnsaved) this.text.value = { title: version.title, content: version.content }
    else if (!hasSameText(version, this.#base)) {
      this.#received = version
      return false
    }
    this.#base = version
    return false
  }

  /** Resolves one conflict; after the last one, saves the result. */
  resolve(place: 'title' | 'content', index: number, choice: Choice): void {
    const state = this.state.peek()
    if (state.kind !== 'conflict') return
    const conflict = resolvePassage(state.conflict, place, index, choice)
    const text = resolvedText(conflict)
    if (text) {
      this.#rebase(conflict.theirs, text)
      this.state.value = { kind: this.#isUnsaved ? 'waiting' : 'saved' }
      this.#save()
    } else this.state.value = { kind: 'conflict', conflict }
  }

  /** Discards unsaved edits and shows the saved version. */
  discard(): void {
    this.#cancel?.()
    this.#rebase(this.#base, this.#base)
    this.state.value = { kind: 'saved' }
  }

  /** Stores the unacknowledged edits again. */
  keepAgain(): void {
    if (this.#isUnsaved) this.#markUnsaved()
  }

  #markUnsaved(): void {
    this.options.keep({ base: this.#base, text: this.text.peek(), sent: this.#sent })
    this.#setUnsaved(true)
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

  #save(): void {
    this.#cancel?.()
    if (!this.#isSaving) this.#saving = this.#saveAll()
  }

  async #saveAll(): Promise<void> {
    this.#isSaving = true
    try {
      while (this.#isUnsaved && (await this.#saveOnce()));
    } finally {
      this.#isSaving = false
    }
    if (this.#isUnsaved && this.state.peek().kind === 'saving') this.#wait()
  }

  /** Returns whether the next save can follow immediately. */
  async #saveOnce(): Promise<boolean> {
    this.state.value = { kind: 'saving' }
    const sent = this.text.peek()
    const sentBefore = this.#sent
    this.#sent = [...sentBefore.slice(1 - MAX_SENT), fingerprint(sent)]
    this.#markUnsaved()
    try {
      const saved = await this.options.save(changesBetween(this.#base, sent), this.#base.updated_at)
      // The edits were discarded during the save.
      if (!this.#isUnsaved) return this.#take(saved)
      // The server may have changed more than was sent: it rewrites the note's links to itself when the title changes.
      this.#merge(sent, saved)
      return false
    } catch (error) {
      if (!this.#isUnsaved) return false
      if (error instanceof NotSent) {
        this.#sent = sentBefore
        this.#markUnsaved()
      }
      return await this.#recover(error as Error)
    }
  }

  async #recover(error: Error): Promise<boolean> {
    if (!(error instanceof Refused)) return this.#retry(error)
    if (error.code === 'stale') return await this.#catchUp()
    if (error.status === 401) this.state.value = { kind: 'signed-out' }
    else if (error.status === 429 || error.status >= 500) return this.#retry(error)
    else this.state.value = { kind: 'refused', sentence: error.message, isGone: error.status === 404 }
    return false
  }

  #retry(error: Error): false {
    this.state.value =
      error instanceof Unreachable || error instanceof Refused
        ? { kind: 'away' }
        : { kind: 'refused', sentence: error.message, isGone: false }
    this.#saveAfter(retryDelayOf(error))
    return false
  }

  /** Merges the saved version with the edits. It may be an earlier, unacknowledged one of this queue. */
  async #catchUp(): Promise<boolean> {
    let theirs: NoteVersion
    try {
      theirs = await this.options.read()
    } catch (error) {
      return await this.#recover(error as Error)
    }
    const isOurs = this.#sent.includes(fingerprint(theirs))
    return this.#merge(isOurs ? theirs : this.#base, theirs)
  }

  /** Merges a saved version. Returns false if there are conflicts. */
  #merge(base: NoteText, theirs: NoteVersion): boolean {
    const conflict = mergeNotes(base, this.text.peek(), theirs)
    const text = resolvedText(conflict)
    if (text) this.#rebase(theirs, text)
    else this.state.value = { kind: 'conflict', conflict }
    if (!this.#isUnsaved) this.state.value = { kind: 'saved' }
    return text !== undefined
  }

  /** Makes this version the base of the edits. */
  #rebase(base: NoteVersion, { title, content }: NoteText): void {
    this.#base = base
    this.#sent = []
    if (!hasSameText(this.text.peek(), { title, content })) this.text.value = { title, content }
    if (hasSameText(base, this.text.peek())) {
      this.options.keep(undefined)
      this.#setUnsaved(false)
    } else this.#markUnsaved()
    const received = this.#received
    this.#received = undefined
    // The response to a retried request is the one of the first attempt, which may be outdated.
    if (received && received.updated_at > base.updated_at) this.#ask()
  }
}
