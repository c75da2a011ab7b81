import { afterAll, afterEach, beforeAll, expect, test } from 'bun:test'
import type { LastEdit } from '../../src/web/offline/last-edits.ts'

const OWNER = { user: 'u', workspace: 'w' }
const NAME = 'u w text n t'
const PREFIX = 'daybook-left '

/** The storage of a browser, whose names are its own properties. */
class LocalStorage {
  [name: string]: unknown
  getItem = (name: string) => this[name] ?? null
  setItem = (name: string, value: string) => {
    this[name] = value
  }
  removeItem = (name: string) => {
    delete this[name]
  }
}

const before = Object.getOwnPropertyDescriptor(globalThis, 'localStorage')
const storage = new LocalStorage()
let edits: typeof import('../../src/web/offline/last-edits.ts')

beforeAll(async () => {
  Object.defineProperty(globalThis, 'localStorage', { value: storage, configurable: true })
  edits = await import('../../src/web/offline/last-edits.ts')
})
afterEach(() => {
  edits.forget(NAME, edits.unwrittenEdit(NAME))
})
afterAll(() => {
  if (before) Object.defineProperty(globalThis, 'localStorage', before)
  else Reflect.deleteProperty(globalThis, 'localStorage')
})

function editOf(content: string, count: number): LastEdit {
  const base = { title: 'Note', content: '', updated_at: '1' }
  const text = { title: 'Note', content }
  return {
    key: { ...OWNER, name: 'text n', tab: 't' },
    edit: { base, text, seen: { title: 'Note', content: '' }, sent: [], at: count, count },
  }
}

/** Closes the page, and returns the texts that the next one finds. */
function textsAfterClosing(): string[] {
  dispatchEvent(new Event('pagehide'))
  return edits.listLast(OWNER).map(({ edit }) => edit.text.content)
}

const NEVER = new Promise<void>(() => {})

test('an edit whose write has not finished outlives the page', () => {
  void edits.untilWritten(NAME, editOf('one', 1), NEVER)
  expect(textsAfterClosing()).toEqual(['one'])
})

test('an edit whose write has finished is not stored again', async () => {
  await edits.untilWritten(NAME, editOf('one', 1), Promise.resolve())
  expect(textsAfterClosing()).toEqual([])
})

test('an edit since the entry was read outlives the page', () => {
  void edits.untilWritten(NAME, editOf('one', 1), NEVER)
  const included = edits.unwrittenEdit(NAME)
  void edits.untilWritten(NAME, editOf('one two', 2), NEVER)
  edits.forget(NAME, included)
  expect(textsAfterClosing()).toEqual(['one two'])
})

test('an edit that was stored when the page closed is removed once it is in the outbox', () => {
  storage.setItem(PREFIX + NAME, JSON.stringify(editOf('one', 1)))
  edits.forget(NAME, undefined)
  expect(textsAfterClosing()).toEqual([])
})
