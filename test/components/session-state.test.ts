import { afterEach, beforeEach, expect, test } from 'bun:test'
import { sessionKey } from '../../src/web/data/session-key.ts'
import { sessionState } from '../../src/web/data/session-state.ts'
import { readStored, store } from '../../src/web/data/stored.ts'

const ANN = 'ann home'
const BEN = 'ben home'

let stored: Map<string, string>
let isFull: boolean

beforeEach(() => {
  stored = new Map()
  isFull = false
  const sessionStorage = {
    getItem: (name: string) => stored.get(name) ?? null,
    setItem: (name: string, value: string) => {
      if (isFull) throw new Error('QuotaExceededError')
      stored.set(name, value)
    },
    removeItem: (name: string) => void stored.delete(name),
  }
  Object.assign(globalThis, { sessionStorage })
})
afterEach(() => {
  sessionKey.value = undefined
  Reflect.deleteProperty(globalThis, 'sessionStorage')
})

const draft = () => sessionState<readonly string[]>([], { name: 'draft', storage: 'sessionStorage' })

test('state returns to its initial value when another user or workspace is shown', () => {
  sessionKey.value = ANN
  const state = sessionState<string | undefined>(undefined)
  state.value = 'a secret of Ann'
  sessionKey.value = BEN
  expect(state.value).toBeUndefined()
  sessionKey.value = ANN
  expect(state.value).toBeUndefined()
})

test('stored state survives a reload, and returns with its session', () => {
  sessionKey.value = ANN
  draft().value = ['Bowl']
  const afterReload = draft()
  expect(afterReload.value).toEqual(['Bowl'])
  sessionKey.value = BEN
  expect(afterReload.value).toEqual([])
  afterReload.value = ['Vase']
  sessionKey.value = ANN
  expect(afterReload.value).toEqual(['Bowl'])
  expect([...stored]).toEqual([
    [`draft ${ANN}`, '["Bowl"]'],
    [`draft ${BEN}`, '["Vase"]'],
  ])
})

test('nothing is stored without a session, nor after a sign-out', () => {
  const state = draft()
  state.value = ['Bowl']
  sessionKey.value = ANN
  expect(state.value).toEqual([])
  state.value = ['Vase']
  stored.clear()
  sessionKey.value = undefined
  expect(state.value).toEqual([])
  expect([...stored]).toEqual([])
})

test('a full or absent storage, or one with damaged values, costs the reload alone', () => {
  sessionKey.value = ANN
  stored.set(`draft ${ANN}`, '["Bow')
  const state = draft()
  expect(state.value).toEqual([])
  isFull = true
  state.value = ['Bowl']
  expect(state.value).toEqual(['Bowl'])
  Reflect.deleteProperty(globalThis, 'sessionStorage')
  store('sessionStorage', 'draft', 1)
  expect(readStored('sessionStorage', 'draft')).toBeUndefined()
})
