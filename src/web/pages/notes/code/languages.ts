import { type Language, StreamLanguage } from '@codemirror/language'
import type { Parser } from '@lezer/common'
import type { Mode, modeNamed } from './modes.ts'

type LoadMode = () => Promise<Mode>

/** Undefined until the first text with a named language has loaded the names. */
let findMode: typeof modeNamed | undefined

const loaded = new Map<LoadMode, Language | Promise<Language>>()

/** The language of a fence's info string: the language if loaded, a promise while loading, undefined if unknown. */
export function languageNamed(info: string): Language | Promise<Language | undefined> | undefined {
  const name = /^[^\s{,:]*/.exec(info.toLowerCase())?.[0] ?? ''
  if (name === '') return undefined
  if (findMode) return languageOf(findMode(name))
  const loading = import('./modes.ts').then((modes) => {
    findMode = modes.modeNamed
    return languageOf(findMode(name))
  })
  loading.catch(() => undefined)
  return loading
}

function languageOf(load: LoadMode | undefined): Language | Promise<Language> | undefined {
  if (!load) return undefined
  const known = loaded.get(load)
  if (known) return known
  const loading = load().then((mode) => {
    const language = StreamLanguage.define(mode)
    loaded.set(load, language)
    for (const call of listeners) call()
    return language
  })
  loaded.set(load, loading)
  loading.catch(() => loaded.delete(load))
  return loading
}

const listeners = new Set<() => void>()

/** Calls a listener whenever a language has been loaded. Returns the function that removes it. */
export function onLanguage(call: () => void): () => void {
  listeners.add(call)
  return () => listeners.delete(call)
}

/** The parser of fenced code; null until its language is loaded. */
export function codeParser(info: string): Parser | null {
  const language = languageNamed(info)
  return language && !('then' in language) ? language.parser : null
}
