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

/** What is not acknowledged: the text, the version it changes, and fingerprints of what was sent since. */
export type Kept = Pick<Draft, 'base' | 'text' | 'sent'>

/** What a queue needs of the world around it. */
export interface QueueOptions {
  /** Writes what changed if the note still has this `updated_at`, else throws `Refused` with the code `stale`. */
  readonly save: (changes: Partial<NoteText>, ifUnchanged: string) => Promise<NoteVersion>
  readonly read: () => Promise<NoteVersion>
  /** Keeps what is not acknowledged until it is: `draft` is undefined once everything is saved. */
  readonly keep: (draft: Kept | undefined) => void
  /** Calls after a time; returns the function that prevents it. */
  readonly later: (act: () => void, ms: number) => () => void
  readonly onUnsaved: (isUnsaved: boolean) => void
}

/** A pause in typing after which is saved. */
const PAUSE_MS = 1_000
/** A title is saved later, or when its field is left, as links elsewhere are rewritten with it. */
const TITLE_PAUSE_MS = 4_000
const MAX_SENT = 100

/** The content is written also when nothing differs: then it is not known whether the server holds it. */
const changesBetween = (base: NoteText, text: NoteText): Partial<NoteText> => ({
  ...(text.title !== base.title && { title: text.title }),
  ...((text.content !== base.content || text.title === base.title) && { content: text.content }),
})

/**
 * Saves one note as it is written: one request at a time, each with what was typed until then, again when the server
 * is back. What another person saved meanwhile is merged; where both changed the same lines, nothing is saved until
 * the person has settled it.
 */
export class SaveQueue {
  readonly text: Signal<NoteText>
  readonly state: Signal<SaveState> = signal({ kind: 'saved' })
  #base: NoteVersion
  #sent: readonly string[]
  #isSaving = false
  /** The save that is under way, or was last. */
  #saving: Promise<void> = Promise.resolve()
  #isUnsaved = false
  #cancel: (() => void) | undefined
  /** What the server held when it was last received while something waited here. */
  #received: NoteVersion | undefined

  constructor(
    base: NoteVersion,
    readonly options: QueueOptions,
    draft: Pick<Kept, 'text' | 'sent'> = { text: base, sent: [] },
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

  /** Takes over what was typed; it is saved after a pause. */
  edit(change: Partial<NoteText>): void {
    const text = { ...this.text.peek(), ...change }
    if (hasSameText(text, this.text.peek())) return
    this.text.value = text
    const state = this.state.peek()
    const isIdle = state.kind !== 'conflict' && !this.#isSaving
    // What was sent without an acknowledgement may be what the server holds.
    if (isIdle && this.#sent.length === 0 && hasSameText(text, this.#base)) this.discard()
    else this.#markUnsaved()
    // What is typed just before the passages are shown belongs to them.
    const isMerged = state.kind === 'conflict' && this.#merge(this.#base, state.conflict.theirs)
    if ((isIdle || isMerged) && this.#isUnsaved)
      this.#wait(change.title === undefined ? PAUSE_MS : TITLE_PAUSE_MS)
  }

  /** Saves at once what is not saved; resolves when it is, or cannot be saved now. */
  async flush(): Promise<void> {
    const isUnderWay = this.#isSaving
    if (this.#isUnsaved && this.state.peek().kind !== 'conflict') this.#save()
    await this.#saving
    // What was typed since that save began waits for a pause in typing.
    if (isUnderWay && this.state.peek().kind === 'waiting') await this.flush()
  }

  /** Takes over what the server holds now, when nothing is waiting here; else saving will find out. */
  receive(version: NoteVersion): void {
    const base = this.#base
    if (version.updated_at === base.updated_at) return
    // A response that was late, or a server that was set back: then what it holds now is older, too.
    if (version.updated_at < base.updated_at) this.#ask()
    else this.#take(version)
  }

  /** Takes over what the server says that it holds, unless something was saved or received meanwhile. */
  #ask(): void {
    const base = this.#base
    this.options.read().then(
      (present) => this.#base === base && present.updated_at !== base.updated_at && this.#take(present),
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

  /** Chooses for one passage; after the last one the result is saved. */
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

  /** Gives up what is not saved: the note is what the server holds. */
  discard(): void {
    this.#cancel?.()
    this.#rebase(this.#base, this.#base)
    this.state.value = { kind: 'saved' }
  }

  /** Has what is not acknowledged kept once more. */
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

  /** Returns whether the next save may follow at once. */
  async #saveOnce(): Promise<boolean> {
    this.state.value = { kind: 'saving' }
    const sent = this.text.peek()
    const sentBefore = this.#sent
    this.#sent = [...sentBefore.slice(1 - MAX_SENT), fingerprint(sent)]
    this.#markUnsaved()
    try {
      const saved = await this.options.save(changesBetween(this.#base, sent), this.#base.updated_at)
      // Given up meanwhile: what is here is no change of it.
      if (!this.#isUnsaved) return this.#take(saved)
      // The server may have changed more than was sent: links of the note to itself follow its title.
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

  /** Merges what the server holds with what is here; it may be what was sent before without an acknowledgement. */
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

  /** Returns whether the text that is here could be merged; else there are passages to be settled. */
  #merge(base: NoteText, theirs: NoteVersion): boolean {
    const conflict = mergeNotes(base, this.text.peek(), theirs)
    const text = resolvedText(conflict)
    if (text) this.#rebase(theirs, text)
    else this.state.value = { kind: 'conflict', conflict }
    if (!this.#isUnsaved) this.state.value = { kind: 'saved' }
    return text !== undefined
  }

  /** From here on the text is a change of this version. */
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
    // What was saved is the response to a request that was sent again, as it was the first time.
    if (received && received.updated_at > base.updated_at) this.#ask()
  }
}
