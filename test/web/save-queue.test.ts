import { describe, expect, test } from 'bun:test'
import type { NoteText, NoteVersion } from '../../src/web/data/note-text.ts'
import { Refused, Unreachable } from '../../src/web/data/request.ts'
import { SaveQueue } from '../../src/web/data/save-queue.ts'

/** A server in memory with one note, a manual clock, and the draft as stored in the browser. */
function start(content = 'one\ntwo\nthree\n', draft?: string) {
  let note: NoteVersion = { title: 'Note', content, updated_at: '1' }
  let isAway = false
  let losesResponse = false
  let rewrite = (content: string) => content
  let timer: (() => void) | undefined
  /** Repeated requests return the stored response. */
  const responses = new Map<string, NoteVersion>()
  const world = { kept: undefined as NoteText | undefined, writes: [] as Partial<NoteText>[], unsaved: 0 }
  const change = (changes: Partial<NoteText>) => {
    note = { ...note, ...changes, updated_at: String(Number(note.updated_at) + 1) }
    return note
  }
  const queue = new SaveQueue(
    note,
    {
      save: async (changes, ifUnchanged) => {
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
        if (losesResponse) throw new Unreachable('away')
        return note
      },
      read: async () => {
        if (isAway) throw new Unreachable('away')
        return note
      },
      keep: (kept) => {
        world.kept = kept?.text
      },
      later: (act) => {
        timer = act
        return () => {
          timer = undefined
        }
      },
      onUnsaved: (isUnsaved) => {
        world.unsaved += isUnsaved ? 1 : -1
      },
    },
    draft === undefined ? undefined : { text: { title: 'Note', content: draft }, sent: [] },
  )
  return Object.assign(world, {
    queue,
    change,
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
    /** Advances past the pause and runs everything that follows from it. */
    pass: async () => {
      timer?.()
      await Bun.sleep(0)
    },
  })
}

const kind = ({ queue }: ReturnType<typeof start>) => queue.state.value.kind

describe('typed text', () => {
  test('is stored locally at once, and saved after a pause with everything typed until then', async () => {
    const it = start()
    it.queue.edit({ content: 'a' })
    it.queue.edit({ content: 'ab' })
    expect([it.kept?.content, it.unsaved, kind(it)]).toEqual(['ab', 1, 'waiting'])
    await it.pass()
    expect([it.writes, it.kept, it.unsaved, kind(it)]).toEqual([[{ content: 'ab' }], undefined, 0, 'saved'])
  })

  test('is saved also when it is what it was before a save of which no response came', async () => {
    const it = start()
    it.setLosing(true)
    it.queue.edit({ content: 'a' })
    await it.pass()
    it.setLosing(false)
    it.queue.edit({ content: 'one\ntwo\nthree\n' })
    await it.pass()
    expect([it.note().content, kind(it), it.kept]).toEqual(['one\ntwo\nthree\n', 'saved', undefined])
  })

  test('while the server changes more than was sent is merged with that', async () => {
    const it = start('[[Note]]\nend\n')
    it.setRewriting((content) => content.replace('[[Note]]', '[[New]]'))
    it.queue.edit({ title: 'New' })
    it.queue.flush()
    it.queue.edit({ content: '[[Note]]\nend\nmore\n' })
    await it.pass()
    await it.pass()
    expect([it.note().content, it.queue.text.value.content]).toEqual(Array(2).fill('[[New]]\nend\nmore\n'))
  })

  test('while a save is under way is saved when its saving at once has ended', async () => {
    const it = start()
    it.queue.edit({ content: 'a' })
    void it.queue.flush()
    it.queue.edit({ content: 'ab' })
    await it.queue.flush()
    expect([it.note().content, kind(it), it.unsaved]).toEqual(['ab', 'saved', 0])
  })

  test('while a save is under way is saved after it', async () => {
    const it = start()
    it.queue.edit({ content: 'a' })
    it.queue.flush()
    it.queue.edit({ content: 'ab' })
    await it.pass()
    expect([it.kept?.content, kind(it)]).toEqual(['ab', 'waiting'])
    await it.pass()
    expect([it.writes.map(({ content }) => content), kind(it)]).toEqual([['a', 'ab'], 'saved'])
  })

  test('before and after a newer version is known is merged with it', async () => {
    const it = start('one\ntwo\nthree\n')
    it.queue.edit({ content: 'one!\ntwo\nthree\n' })
    it.queue.receive(it.change({ content: 'one\ntwo\nthree?\n' }))
    expect([it.queue.text.value.content, kind(it)]).toEqual(['one!\ntwo\nthree\n', 'waiting'])
    it.queue.edit({ content: 'one!!\ntwo\nthree\n' })
    it.queue.flush()
    await it.pass()
    await it.pass()
    expect([it.note().content, kind(it)]).toEqual(['one!!\ntwo\nthree?\n', 'saved'])
  })

  test('is shown with what was received before the response came when it was sent again', async () => {
    const it = start('one\ntwo\n')
    it.setLosing(true)
    it.queue.edit({ content: 'one!\ntwo\n' })
    await it.pass()
    it.setLosing(false)
    it.queue.receive(it.change({ content: 'one!\ntwo?\n' }))
    await it.pass()
    expect([it.queue.text.value.content, kind(it), it.kept]).toEqual(['one!\ntwo?\n', 'saved', undefined])
  })

  test('that is undone is not sent', async () => {
    const it = start('a')
    it.queue.edit({ content: 'ab' })
    it.queue.edit({ content: 'a' })
    await it.pass()
    expect([it.writes, it.kept, kind(it)]).toEqual([[], undefined, 'saved'])
  })

  test('stays pending while the server is unreachable, and is saved once afterwards', async () => {
    const it = start()
    it.setAway(true)
    it.queue.edit({ content: 'a' })
    await it.pass()
    await it.pass()
    expect([it.kept?.content, kind(it)]).toEqual(['a', 'away'])
    it.setAway(false)
    await it.pass()
    expect([it.writes, it.kept, kind(it)]).toEqual([[{ content: 'a' }], undefined, 'saved'])
  })

  test('is not written twice when only the acknowledgement was lost', async () => {
    const it = start()
    it.setLosing(true)
    it.queue.edit({ content: 'a' })
    await it.pass()
    it.setLosing(false)
    await it.pass()
    expect([it.writes, it.kept, kind(it)]).toEqual([[{ content: 'a' }], undefined, 'saved'])
  })
})

test('an unacknowledged save is not mistaken for that of another user', async () => {
  const it = start()
  it.setLosing(true)
  it.queue.edit({ content: 'a' })
  await it.pass()
  it.setLosing(false)
  it.queue.edit({ content: 'ab' })
  await it.pass()
  await it.pass()
  expect([it.note().content, it.kept, kind(it)]).toEqual(['ab', undefined, 'saved'])
})

describe('text saved by another user', () => {
  test('appears when nothing waits here, and nothing older than what is here', () => {
    const it = start()
    const before = it.note()
    it.queue.receive(it.change({ content: 'theirs' }))
    it.queue.receive(before)
    expect([it.queue.text.value.content, kind(it)]).toEqual(['theirs', 'saved'])
  })

  test('in other lines is merged and saved', async () => {
    const it = start()
    it.queue.edit({ content: 'ONE\ntwo\nthree\n' })
    it.change({ content: 'one\ntwo\nthree\nfour\n' })
    await it.pass()
    expect([it.note().content, kind(it)]).toEqual(['ONE\ntwo\nthree\nfour\n', 'saved'])
    expect(it.queue.text.value.content).toBe('ONE\ntwo\nthree\nfour\n')
  })

  for (const [choice, expected] of [
    ['mine', 'mine\n'],
    ['theirs', 'theirs\n'],
    ['both', 'mine\ntheirs\n'],
  ] as const)
    test(`in the same line is a conflict; ${choice}`, async () => {
      const it = start('one\n')
      it.queue.edit({ content: 'mine\n' })
      it.change({ content: 'theirs\n' })
      await it.pass()
      expect([it.note().content, it.kept?.content, kind(it), it.writes]).toEqual([
        'theirs\n',
        'mine\n',
        'conflict',
        [],
      ])
      it.queue.resolve('content', 0, choice)
      await it.pass()
      expect([it.note().content, it.kept, kind(it)]).toEqual([expected, undefined, 'saved'])
    })

  test('in the same line: what is typed before the choice is shown is part of it', async () => {
    const it = start('one\n')
    it.queue.edit({ content: 'mine\n' })
    it.change({ content: 'theirs\n' })
    await it.pass()
    it.queue.edit({ content: 'mine, too\n' })
    expect([kind(it), it.kept?.content]).toEqual(['conflict', 'mine, too\n'])
    it.queue.resolve('content', 0, 'both')
    await it.pass()
    expect([it.note().content, kind(it)]).toEqual(['mine, too\ntheirs\n', 'saved'])
  })

  test('in the same line is settled by typing the same', async () => {
    const it = start('one\n')
    it.queue.edit({ content: 'mine\n' })
    it.change({ content: 'theirs\n' })
    await it.pass()
    it.queue.edit({ content: 'theirs\n' })
    expect([it.note().content, it.kept, kind(it)]).toEqual(['theirs\n', undefined, 'saved'])
  })

  test('in the title is a conflict, too', async () => {
    const it = start()
    it.queue.edit({ title: 'Mine' })
    it.change({ title: 'Theirs' })
    await it.pass()
    it.queue.resolve('title', 0, 'both')
    await it.pass()
    expect(it.note().title).toBe('Mine / Theirs')
  })

  test('without a change of the text, a tag for instance, stands in no way', async () => {
    const it = start()
    it.queue.edit({ content: 'a' })
    it.queue.receive(it.change({}))
    await it.pass()
    expect([it.note().content, kind(it)]).toEqual(['a', 'saved'])
  })
})

test('a draft of an earlier visit counts as pending until it is saved, merged with later changes', async () => {
  const it = start('one\ntwo\nthree\n', 'ONE\ntwo\nthree\n')
  expect([it.unsaved, kind(it)]).toEqual([1, 'waiting'])
  it.change({ content: 'one\ntwo\nTHREE\n' })
  await it.pass()
  expect([it.note().content, it.kept, it.unsaved]).toEqual(['ONE\ntwo\nTHREE\n', undefined, 0])
})

test('a draft discarded during a failing save shows the saved state and is not retried', async () => {
  const server = start()
  server.setAway(true)
  server.queue.edit({ content: 'given up' })
  const saving = server.queue.flush()
  server.queue.discard()
  await saving
  server.setAway(false)
  await server.pass()
  expect([server.queue.state.value.kind, server.writes, server.kept]).toEqual(['saved', [], undefined])
})
