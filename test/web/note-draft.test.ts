import { describe, expect, test } from 'bun:test'
import { NoteDraft } from '../../src/web/data/note-draft.ts'
import {
  isSameEntry,
  type NoteEdit,
  type NoteEntry,
  type NoteText,
  type NoteVersion,
  withEdit,
} from '../../src/web/data/note-text.ts'
import { Refused, Unreachable } from '../../src/web/data/request.ts'

/** A server in memory with one note, a manual clock, and the outbox of a browser, which tabs of it share. */
function start(content = 'one\ntwo\nthree\n', draft?: string) {
  let note: NoteVersion = { title: 'Note', content, updated_at: '1' }
  let isAway = false
  let losesResponse = false
  let rewrite = (content: string) => content
  /** Repeated requests return the stored response. */
  const responses = new Map<string, NoteVersion>()
  const outbox = {
    entry: undefined as NoteEntry | undefined,
    edits: new Map<number, NoteEdit>(),
    isFull: false,
  }
  const world = { writes: [] as Partial<NoteText>[], unsaved: 0, response: Promise.resolve() }
  const tabs: Tab[] = []
  let sending = Promise.resolve()
  const change = (changes: Partial<NoteText>) => {
    note = { ...note, ...changes, updated_at: String(Number(note.updated_at) + 1) }
    return note
  }
  const notify = (tab: number) => {
    for (const [at, other] of tabs.entries()) if (at !== tab && !other.isClosed) other.draft.sync(false)
  }
  class Tab {
    isClosed = false
    /** Holds the exchanges of this tab back. */
    isSlow = false
    readonly #held: (() => void)[] = []
    #timer: (() => void) | undefined
    readonly draft: NoteDraft

    constructor(at: number, entry: NoteEntry | undefined) {
      const save = async (changes: Partial<NoteText>, ifUnchanged: string) => {
        if (isAway) throw new Unreachable('away')
        const key = JSON.stringify([changes, ifUnchanged])
        const first = responses.get(key)
        if (first) return first
        if (ifUnchanged !== note.updated_at)
          throw new Refused(409, 'stale', 'The note was changed.', undefined)
        world.writes.push(changes)
        change(changes)
        if (changes.title !== undefined) note = { ...note, content: rewrite(note.content) }
        responses.set(key, note)
        const saved = note
        await world.response
        if (losesResponse) throw new Unreachable('away')
        return saved
      }
      this.draft = new NoteDraft(
        entry?.base ?? note,
        {
          write: (edit) => {
            if (!outbox.isFull) outbox.edits.set(at, edit)
          },
          exchange: async (next) => {
            if (this.isSlow) await new Promise<void>((resolve) => this.#held.push(resolve))
            const found = outbox.entry
            const replaced = next(found, undefined)
            if (outbox.isFull && replaced) throw new Error('The disk is full.')
            outbox.entry = replaced
            outbox.edits.delete(at)
            if (!found !== !replaced || (found && replaced && !isSameEntry(found, replaced))) notify(at)
          },
          discard: () => {
            outbox.entry = undefined
            outbox.edits.clear()
            for (const [other, tab] of tabs.entries()) if (other !== at) tab.draft.sync(true)
          },
          inOrder: async (_, send) => {
            const before = sending
            let end = () => {}
            sending = new Promise((resolve) => {
              end = resolve
            })
            await before
            try {
              if (isAway) throw new Unreachable('away')
              await send()
            } finally {
              end()
            }
          },
          save,
          read: async () => {
            if (isAway) throw new Unreachable('away')
            return note
          },
          later: (act) => {
            this.#timer = act
            return () => {
              this.#timer = undefined
            }
          },
          onUnsaved: (isUnsaved) => {
            world.unsaved += isUnsaved ? 1 : -1
          },
        },
        entry,
      )
    }

    /** Advances past the pause and runs everything that follows from it. */
    async pass(): Promise<void> {
      this.#timer?.()
      await Bun.sleep(0)
    }

    hurry(): void {
      this.isSlow = false
      for (const go of this.#held.splice(0)) go()
    }

    get shown(): string {
      return this.draft.text.value.content
    }

    get kind(): string {
      return this.draft.state.value.kind
    }
  }
  const open = (entry?: NoteEntry): Tab => {
    const tab = new Tab(tabs.length, entry)
    tabs.push(tab)
    return tab
  }
  const text = draft === undefined ? undefined : { title: 'Note', content: draft }
  outbox.entry = text && { base: note, text, sent: [], at: 1 }
  const tab = open(outbox.entry)
  return Object.assign(world, {
    draft: tab.draft,
    tab,
    outbox,
    change,
    /** Opens another tab, which merges the edits of closed ones. */
    openNext: () => {
      for (const edit of outbox.edits.values()) outbox.entry = withEdit(outbox.entry, edit)
      outbox.edits.clear()
      return open(outbox.entry)
    },
    /** The text in the outbox, also of an edit that is not merged yet. */
    kept: () => (outbox.edits.get(0) ?? outbox.entry)?.text.content,
    note: () => note,
    setAway: (value: boolean) => {
      isAway = value
    },
    setLosing: (value: boolean) => {
      losesResponse = value
    },
    /** Makes the server change the content when the title changes. */
    setRewriting: (value: typeof rewrite) => {
      rewrite = value
    },
    pass: () => tab.pass(),
  })
}

const kind = ({ draft }: ReturnType<typeof start>) => draft.state.value.kind

describe('typed text', () => {
  test('is stored locally at once, and saved after a pause with everything typed until then', async () => {
    const it = start()
    it.draft.edit({ content: 'a' })
    it.draft.edit({ content: 'ab' })
    expect([it.kept(), it.unsaved, kind(it)]).toEqual(['ab', 1, 'waiting'])
    await it.pass()
    expect([it.writes, it.kept(), it.unsaved, kind(it)]).toEqual([[{ content: 'ab' }], undefined, 0, 'saved'])
  })

  test('is saved also when it is what it was before a save of which no response came', async () => {
    const it = start()
    it.setLosing(true)
    it.draft.edit({ content: 'a' })
    await it.pass()
    it.setLosing(false)
    it.draft.edit({ content: 'one\ntwo\nthree\n' })
    await it.pass()
    expect([it.note().content, kind(it), it.kept()]).toEqual(['one\ntwo\nthree\n', 'saved', undefined])
  })

  test('while the server changes more than was sent is merged with that', async () => {
    const it = start('[[Note]]\nend\n')
    it.setRewriting((content) => content.replace('[[Note]]', '[[New]]'))
    it.draft.edit({ title: 'New' })
    it.draft.flush()
    it.draft.edit({ content: '[[Note]]\nend\nmore\n' })
    await it.pass()
    await it.pass()
    expect([it.note().content, it.draft.text.value.content]).toEqual(Array(2).fill('[[New]]\nend\nmore\n'))
  })

  test('while a save is under way is saved when its saving at once has ended', async () => {
    const it = start()
    it.draft.edit({ content: 'a' })
    void it.draft.flush()
    it.draft.edit({ content: 'ab' })
    await it.draft.flush()
    expect([it.note().content, kind(it), it.unsaved]).toEqual(['ab', 'saved', 0])
  })

  test('while a save is under way is saved after it', async () => {
    const it = start()
    const { promise, resolve } = Promise.withResolvers<void>()
    it.response = promise
    it.draft.edit({ content: 'a' })
    void it.draft.flush()
    await Bun.sleep(0)
    it.draft.edit({ content: 'ab' })
    resolve()
    await Bun.sleep(0)
    expect([it.kept(), kind(it)]).toEqual(['ab', 'waiting'])
    await it.pass()
    expect([it.writes.map(({ content }) => content), kind(it)]).toEqual([['a', 'ab'], 'saved'])
  })

  test('before and after a newer version is known is merged with it', async () => {
    const it = start('one\ntwo\nthree\n')
    it.draft.edit({ content: 'one!\ntwo\nthree\n' })
    it.draft.receive(it.change({ content: 'one\ntwo\nthree?\n' }))
    expect([it.draft.text.value.content, kind(it)]).toEqual(['one!\ntwo\nthree\n', 'waiting'])
    it.draft.edit({ content: 'one!!\ntwo\nthree\n' })
    it.draft.flush()
    await it.pass()
    await it.pass()
    expect([it.note().content, kind(it)]).toEqual(['one!!\ntwo\nthree?\n', 'saved'])
  })

  test('is shown with what was received before the response came when it was sent again', async () => {
    const it = start('one\ntwo\n')
    it.setLosing(true)
    it.draft.edit({ content: 'one!\ntwo\n' })
    await it.pass()
    it.setLosing(false)
    it.draft.receive(it.change({ content: 'one!\ntwo?\n' }))
    await it.pass()
    expect([it.draft.text.value.content, kind(it), it.kept()]).toEqual(['one!\ntwo?\n', 'saved', undefined])
  })

  test('that is undone is not sent', async () => {
    const it = start('a')
    it.draft.edit({ content: 'ab' })
    it.draft.edit({ content: 'a' })
    await it.pass()
    expect([it.writes, it.kept(), kind(it)]).toEqual([[], undefined, 'saved'])
  })

  test('stays pending while the server is unreachable, and is saved once afterwards', async () => {
    const it = start()
    it.setAway(true)
    it.draft.edit({ content: 'a' })
    await it.pass()
    await it.pass()
    expect([it.kept(), kind(it)]).toEqual(['a', 'away'])
    it.setAway(false)
    await it.pass()
    expect([it.writes, it.kept(), kind(it)]).toEqual([[{ content: 'a' }], undefined, 'saved'])
  })

  test('is not written twice when only the acknowledgement was lost', async () => {
    const it = start()
    it.setLosing(true)
    it.draft.edit({ content: 'a' })
    await it.pass()
    it.setLosing(false)
    await it.pass()
    expect([it.writes, it.kept(), kind(it)]).toEqual([[{ content: 'a' }], undefined, 'saved'])
  })
})

test('an unacknowledged save is not mistaken for that of another user', async () => {
  const it = start()
  it.setLosing(true)
  it.draft.edit({ content: 'a' })
  await it.pass()
  it.setLosing(false)
  it.draft.edit({ content: 'ab' })
  await it.pass()
  await it.pass()
  expect([it.note().content, it.kept(), kind(it)]).toEqual(['ab', undefined, 'saved'])
})

describe('text saved by another user', () => {
  test('appears when nothing waits here, and nothing older than what is here', () => {
    const it = start()
    const before = it.note()
    it.draft.receive(it.change({ content: 'theirs' }))
    it.draft.receive(before)
    expect([it.draft.text.value.content, kind(it)]).toEqual(['theirs', 'saved'])
  })

  test('in other lines is merged and saved', async () => {
    const it = start()
    it.draft.edit({ content: 'ONE\ntwo\nthree\n' })
    it.change({ content: 'one\ntwo\nthree\nfour\n' })
    await it.pass()
    expect([it.note().content, kind(it)]).toEqual(['ONE\ntwo\nthree\nfour\n', 'saved'])
    expect(it.draft.text.value.content).toBe('ONE\ntwo\nthree\nfour\n')
  })

  for (const [choice, expected] of [
    ['mine', 'mine\n'],
    ['theirs', 'theirs\n'],
    ['both', 'mine\ntheirs\n'],
  ] as const)
    test(`in the same line is a conflict; ${choice}`, async () => {
      const it = start('one\n')
      it.draft.edit({ content: 'mine\n' })
      it.change({ content: 'theirs\n' })
      await it.pass()
      expect([it.note().content, it.kept(), kind(it), it.writes]).toEqual([
        'theirs\n',
        'mine\n',
        'conflict',
        [],
      ])
      it.draft.resolve('content', 0, choice)
      await it.pass()
      expect([it.note().content, it.kept(), kind(it)]).toEqual([expected, undefined, 'saved'])
    })

  test('in the same line: what is typed before the choice is shown is part of it', async () => {
    const it = start('one\n')
    it.draft.edit({ content: 'mine\n' })
    it.change({ content: 'theirs\n' })
    await it.pass()
    it.draft.edit({ content: 'mine, too\n' })
    expect([kind(it), it.kept()]).toEqual(['conflict', 'mine, too\n'])
    it.draft.resolve('content', 0, 'both')
    await it.pass()
    expect([it.note().content, kind(it)]).toEqual(['mine, too\ntheirs\n', 'saved'])
  })

  test('in the same line is settled by typing the same', async () => {
    const it = start('one\n')
    it.draft.edit({ content: 'mine\n' })
    it.change({ content: 'theirs\n' })
    await it.pass()
    it.draft.edit({ content: 'theirs\n' })
    await Bun.sleep(0)
    expect([it.note().content, it.kept(), kind(it)]).toEqual(['theirs\n', undefined, 'saved'])
  })

  test('in the title is a conflict, too', async () => {
    const it = start()
    it.draft.edit({ title: 'Mine' })
    it.change({ title: 'Theirs' })
    await it.pass()
    it.draft.resolve('title', 0, 'both')
    await it.pass()
    expect(it.note().title).toBe('Mine / Theirs')
  })

  test('without a change of the text, a tag for instance, stands in no way', async () => {
    const it = start()
    it.draft.edit({ content: 'a' })
    it.draft.receive(it.change({}))
    await it.pass()
    expect([it.note().content, kind(it)]).toEqual(['a', 'saved'])
  })
})

test('a draft of an earlier visit counts as pending until it is saved, merged with later changes', async () => {
  const it = start('one\ntwo\nthree\n', 'ONE\ntwo\nthree\n')
  expect([it.unsaved, kind(it)]).toEqual([1, 'waiting'])
  it.change({ content: 'one\ntwo\nTHREE\n' })
  await it.pass()
  expect([it.note().content, it.kept(), it.unsaved]).toEqual(['ONE\ntwo\nTHREE\n', undefined, 0])
})

test('a draft discarded during a failing save shows the saved state and is not retried', async () => {
  const server = start()
  server.setAway(true)
  server.draft.edit({ content: 'given up' })
  const saving = server.draft.flush()
  server.draft.discard()
  await saving
  server.setAway(false)
  await server.pass()
  expect([server.draft.state.value.kind, server.writes, server.kept()]).toEqual(['saved', [], undefined])
})

describe('two tabs of one browser', () => {
  test('show what the other one types, which is sent once', async () => {
    const it = start('one\n')
    const other = it.openNext()
    it.draft.edit({ content: 'one\ntwo\n' })
    await Bun.sleep(0)
    expect([other.shown, other.kind, it.unsaved]).toEqual(['one\ntwo\n', 'waiting', 2])
    await Promise.all([it.pass(), other.pass()])
    expect([it.writes, it.unsaved, kind(it), other.kind]).toEqual([
      [{ content: 'one\ntwo\n' }],
      0,
      'saved',
      'saved',
    ])
    expect(other.draft.base.updated_at).toBe(it.note().updated_at)
  })

  test('keep what both type at the same moment, also in the same line', async () => {
    const it = start('one\ntwo\nthree\n')
    const other = it.openNext()
    it.tab.isSlow = true
    it.draft.edit({ content: 'ONE\ntwo\nTHREE\n' })
    other.draft.edit({ content: 'one!\ntwo\nthree\nfour\n' })
    await Bun.sleep(0)
    it.tab.hurry()
    await Bun.sleep(0)
    expect([it.tab.shown, other.shown]).toEqual(Array(2).fill('ONE\none!\ntwo\nTHREE\nthree\nfour\n'))
  })

  test('send what a closed tab has stored, merged or not', async () => {
    const it = start('one\n')
    it.draft.edit({ content: 'one, two\n' })
    await Bun.sleep(0)
    it.tab.isSlow = true
    it.draft.edit({ content: 'one, two, three\n' })
    it.tab.isClosed = true
    const next = it.openNext()
    expect(next.shown).toBe('one, two, three\n')
    await next.pass()
    expect(it.note().content).toBe('one, two, three\n')
  })

  test('both show a conflict, which either of them resolves', async () => {
    const it = start('one\n')
    const other = it.openNext()
    it.draft.edit({ content: 'mine\n' })
    await Bun.sleep(0)
    it.change({ content: 'theirs\n' })
    await it.pass()
    await other.pass()
    expect([kind(it), other.kind]).toEqual(['conflict', 'conflict'])
    other.draft.resolve('content', 0, 'both')
    await Bun.sleep(0)
    await other.pass()
    expect([it.note().content, kind(it), other.kind, it.unsaved]).toEqual([
      'mine\ntheirs\n',
      'saved',
      'saved',
      0,
    ])
  })

  test('continue with edits of a text that the other one has saved', async () => {
    const it = start('one\n')
    const other = it.openNext()
    it.draft.edit({ content: 'one, two\n' })
    await Bun.sleep(0)
    other.isSlow = true
    await it.pass()
    other.draft.edit({ content: 'one, two, three\n' })
    other.hurry()
    await Bun.sleep(0)
    await other.pass()
    expect([it.note().content, other.kind, it.tab.shown]).toEqual([
      'one, two, three\n',
      'saved',
      'one, two, three\n',
    ])
  })

  test('merge what a closed tab has stored with what the other one has saved since', async () => {
    const it = start()
    const other = it.openNext()
    it.draft.edit({ content: 'ONE\ntwo\nthree\n' })
    await it.pass()
    await other.pass()
    it.draft.edit({ content: 'ONE!\ntwo\nthree\n' })
    await Bun.sleep(0)
    other.isSlow = true
    it.draft.edit({ content: 'ONE! more\ntwo\nthree\n' })
    other.draft.edit({ content: 'ONE!\ntwo\nTHREE\n' })
    other.isClosed = true
    await it.pass()
    expect([it.note().content, it.kept()]).toEqual(['ONE! more\ntwo\nthree\n', undefined])
    const next = it.openNext()
    await next.pass()
    const both = 'ONE! more\ntwo\nTHREE\n'
    expect([it.note().content, next.shown, next.kind]).toEqual([both, both, 'saved'])
  })

  test('merge what one types with what the other one has saved since', async () => {
    const it = start()
    const other = it.openNext()
    it.draft.edit({ content: 'ONE\ntwo\nthree\n' })
    await Bun.sleep(0)
    other.isSlow = true
    it.draft.edit({ content: 'ONE more\ntwo\nthree\n' })
    await it.pass()
    other.draft.edit({ content: 'ONE\ntwo\nTHREE\n' })
    other.hurry()
    await Bun.sleep(0)
    await other.pass()
    const both = 'ONE more\ntwo\nTHREE\n'
    expect([it.note().content, other.shown, other.kind]).toEqual([both, both, 'saved'])
  })

  test('discard together', async () => {
    const it = start('one\n')
    const other = it.openNext()
    it.draft.edit({ content: 'given up\n' })
    await Bun.sleep(0)
    other.draft.discard()
    await it.pass()
    expect([it.tab.shown, other.shown, it.writes, it.unsaved]).toEqual(['one\n', 'one\n', [], 0])
  })
})

test('edits that cannot be stored are saved from memory', async () => {
  const it = start('one\n')
  it.draft.edit({ content: 'one, two\n' })
  await Bun.sleep(0)
  it.outbox.isFull = true
  it.draft.edit({ content: 'one, two, three\n' })
  await it.pass()
  it.draft.edit({ content: 'one, two, three, four\n' })
  await it.pass()
  expect([it.note().content, kind(it), it.kept(), it.unsaved]).toEqual([
    'one, two, three, four\n',
    'saved',
    undefined,
    0,
  ])
})

test('edits that cannot be stored remain when another tab stores one', async () => {
  const it = start('one\ntwo\nthree\n')
  it.setAway(true)
  const other = it.openNext()
  it.outbox.isFull = true
  it.draft.edit({ content: 'one, mine\ntwo\nthree\n' })
  await Bun.sleep(0)
  it.outbox.isFull = false
  other.draft.edit({ content: 'one\ntwo\nthree, theirs\n' })
  await Bun.sleep(0)
  await Bun.sleep(0)
  expect(it.tab.shown).toBe('one, mine\ntwo\nthree, theirs\n')
  expect(other.shown).toBe('one, mine\ntwo\nthree, theirs\n')
})
